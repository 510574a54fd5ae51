import satisfies from 'spdx-satisfies'
import type { InstalledPackages } from './installed-packages.ts'
import type { ProductionTree } from './lockfile.ts'

/** Licences that a part of a product under Apache-2.0 may have: they require a notice at most. */
const allowed = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0'],
  ...['PostgreSQL', 'PSF-2.0', 'Python-2.0', 'Unlicense', 'Zlib'],
]

export interface Licensed {
  readonly name: string
  readonly version: string
  /** An SPDX expression; null when the package names none. */
  readonly licence: string | null
}

/**
 * The licences of all packages of a tree. Builds for some machines are left out, because they are not installed on
 * others; each is a part of a package that is listed.
 */
export function licensedPackages(
  { packages }: ProductionTree,
  { licenceOf }: Pick<InstalledPackages, 'licenceOf'>,
): readonly Licensed[] {
  return [...packages.values()]
    .filter(({ isForSomeMachines }) => !isForSomeMachines)
    .map(({ name, version }) => ({ name, version, licence: licenceOf({ name, version }) }))
}

/** Names the packages whose licence is not allowed, or not known. */
export function refusedLicences(licensed: readonly Licensed[]): readonly string[] {
  return licensed
    .filter(({ licence }) => licence === null || !isAllowed(licence))
    .map(({ name, version, licence }) => `${name}@${version}: ${licence ?? 'no licence is named'}`)
}

/** False also for a text that is no expression of SPDX, such as `SEE LICENSE IN LICENSE.txt`. */
function isAllowed(licence: string): boolean {
  try {
    return satisfies(licence, allowed)
  } catch {
    return false
  }
}

/** Returns the text of `docs/licences.md`. */
export function licenceDocument(licensed: readonly Licensed[]): string {
  const byLicence = Map.groupBy(licensed, ({ licence }) => licence ?? 'none')
  const rows = [...byLicence].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const sections = rows.map(([licence, packages]) => {
    const names = packages.map(({ name, version }) => `- ${name} ${version}`)
    return `## ${licence}\n\n${names.join('\n')}\n`
  })
  return `# Licences of dependencies

The ${licensed.length} packages that production code of the services depends on, by the licence that each names. Written by
\`npm run codegen\` from the lockfile and the installed packages; the unit stage compares it, and fails for a licence that
\`infra/src/ops/dependencies/licences.ts\` does not allow beside Apache-2.0. Builds for single platforms are not listed: each
is a part of a listed package. \`npm run sbom\` writes the same for each image, in CycloneDX.

${sections.join('\n')}`
}
