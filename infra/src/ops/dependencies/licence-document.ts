import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../../fleet/data-paths.ts'
import { readLockfile, shippedTree } from './images.ts'
import { readInstalledPackages } from './installed-packages.ts'
import { licenceDocument, licensedPackages } from './licences.ts'

const file = path.join(repositoryRoot, 'docs', 'licences.md')

/** Writes `docs/licences.md` from the lockfile and the installed packages. */
export function writeLicenceDocument(): void {
  writeFileSync(file, licenceDocument(licensedPackages(shippedTree(readLockfile()), readInstalledPackages())))
}

/** The current text of `docs/licences.md`. */
export function readLicenceDocument(): string {
  return readFileSync(file, 'utf8')
}
