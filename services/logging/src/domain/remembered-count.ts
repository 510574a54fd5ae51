import type { ReadScope } from './exchange-reads.ts'
import { createRecentMap } from './segments/recent-map.ts'
import type { WorkspaceReads } from './workspace-reads.ts'

/** From here on counting takes long enough to be noticed. */
const manyExchanges = 10_000
/** Milliseconds for which such a count stands. */
const standsMs = 30_000
/** Workspaces whose counts are kept. */
const mostKept = 1_000

/** Counts exchanges anew each time while they are few; a large count is remembered for half a minute. */
export function rememberingCount(
  count: WorkspaceReads['countExchanges'],
): (scope: ReadScope) => Promise<number | null> {
  const kept = createRecentMap<{ readonly count: number; readonly at: Date }>(mostKept)
  return async (scope) => {
    const known = kept.get(scope.workspaceId)
    if (known !== undefined && scope.at.getTime() - known.at.getTime() < standsMs) return known.count
    const counted = await count(scope)
    if (counted !== null && counted >= manyExchanges) kept.set(scope.workspaceId, { count: counted, at: scope.at })
    return counted
  }
}
