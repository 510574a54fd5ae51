import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseJson } from '@ratchet/service-kit/values/json'
import { z } from 'zod'
import { repositoryRoot } from '../../fleet/data-paths.ts'
import type { LockedPackage } from './lockfile.ts'

const store = path.join(repositoryRoot, 'node_modules', '.pnpm')

/** A licence in a manifest: a name, or the object that older packages have in its place. */
const Named = z.union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)])
const Manifest = z.object({ license: Named.optional(), licenses: z.array(Named).optional() })

/** Reads what installed packages say about their licence. */
export interface InstalledPackages {
  /** An SPDX expression as the package has it, `MIT`; null when it names none, or is not installed on this machine. */
  licenceOf(each: NamedPackage): string | null
  isInstalled(each: NamedPackage): boolean
}

type NamedPackage = Pick<LockedPackage, 'name' | 'version'>

export function readInstalledPackages(): InstalledPackages {
  const folders = readdirSync(store)
  const folderOf = ({ name, version }: NamedPackage) => {
    const beginning = `${name.replace('/', '+')}@${version}`
    return folders.find((each) => each === beginning || each.startsWith(`${beginning}_`))
  }
  return {
    isInstalled: (each) => folderOf(each) !== undefined,
    licenceOf(each) {
      const folder = folderOf(each)
      if (folder === undefined) return null
      const file = path.join(store, folder, 'node_modules', each.name, 'package.json')
      const manifest = Manifest.safeParse(parseJson(readFileSync(file, 'utf8')))
      if (!manifest.success) return null
      const { license, licenses = [] } = manifest.data
      return license ?? (licenses.length === 0 ? null : licenses.join(' OR '))
    },
  }
}
