import type { Feature, RailEntry } from '../app/feature.ts'
import type { KeyCommand } from '../keys/commands.ts'

/** The entries of the rail, in their order. */
export function railEntriesOf(features: readonly Feature[]): readonly RailEntry[] {
  return features.flatMap(({ rail }) => (rail === undefined ? [] : [rail])).sort((a, b) => a.order - b.order)
}

/** `g` and a letter for each entry. */
export function jumpCommandsOf(entries: readonly RailEntry[]): readonly KeyCommand[] {
  return entries.map(({ label, path, jump }) => ({
    id: `jump.${path === '' ? 'home' : path}`,
    keys: `g ${jump}`,
    label: `Go to ${label}`,
    group: 'Go to',
  }))
}

/** The address of an entry. */
export function addressOfEntry({ path }: Pick<RailEntry, 'path'>, slug: string): string {
  return path === '' ? `/w/${slug}` : `/w/${slug}/${path}`
}

/** Whether another entry lies below the address of this one, as failures lie below the logs: both would be marked. */
export function isExactEntry({ path }: Pick<RailEntry, 'path'>, entries: readonly Pick<RailEntry, 'path'>[]): boolean {
  return path === '' || entries.some((other) => other.path.startsWith(`${path}/`))
}
