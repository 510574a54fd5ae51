import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../../fleet/data-paths.ts'
import { services, simulatedProvider } from '../../fleet/service-list.ts'
import { type Lockfile, type ProductionTree, parseLockfile, productionTree } from './lockfile.ts'

const programs = [...services, simulatedProvider].map(({ entry }) => entry.split('/').slice(0, 2).join('/'))

/** Folders of which the recipe makes an image: those of the service list, the migrations, and the commands of operators. */
export const imageFolders: readonly string[] = [...new Set(['packages/db', 'packages/cli', ...programs])]

export function readLockfile(): Lockfile {
  return parseLockfile(readFileSync(path.join(repositoryRoot, 'pnpm-lock.yaml'), 'utf8'))
}

/** Everything that some image contains. */
export function shippedTree(lockfile: Lockfile): ProductionTree {
  return productionTree(lockfile, imageFolders)
}
