import type { FailureGroup } from '@ratchet/contracts/failures'

const dayMs = 86_400_000

/** The query of the rows of a group. A cause is part of the path, so it adds nothing. */
export function rowsQueryOf(groupBy: FailureGroup, group: string, from: string): Readonly<Record<string, string>> {
  if (groupBy === 'day') {
    const start = Date.parse(`${group}T00:00:00Z`)
    if (Number.isNaN(start)) return { from }
    return { from: new Date(start).toISOString(), to: new Date(start + dayMs).toISOString() }
  }
  if (groupBy === 'key') return { from, key_id: group }
  if (groupBy === 'model' || groupBy === 'provider' || groupBy === 'tag') return { from, [groupBy]: group }
  return { from }
}
