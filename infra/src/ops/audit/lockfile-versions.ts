import type { Lockfile } from '../dependencies/lockfile.ts'
import type { InstalledVersions } from './osv-database.ts'

/** Every package of a lockfile, also those for development. */
export function lockfileVersions({ packages }: Lockfile): InstalledVersions {
  const found = new Map<string, string[]>()
  for (const key of Object.keys(packages)) {
    const at = key.lastIndexOf('@')
    const name = key.slice(0, at)
    found.set(name, [...(found.get(name) ?? []), key.slice(at + 1)])
  }
  return found
}
