import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { PurgingStore } from './pg-purging.ts'

export interface PurgeJudgementsDeps {
  readonly store: PurgingStore
  readonly log: Pick<LogReader, 'present'>
}

/** Fewer than the ids of one call, because a run has many. */
const pageSize = 1_000
const maxIdsPerCall = 5_000

/** Deletes judgements of exchanges that expired or were deleted from the log. Resolves with their number. */
export async function purgeJudgements({ store, log }: PurgeJudgementsDeps): Promise<number> {
  let deleted = await store.purgeExpired()
  let after = '00000000-0000-0000-0000-000000000000'
  while (true) {
    const page = await store.loggedAfter(after, pageSize)
    for (const [workspaceId, judgements] of Map.groupBy(page, (each) => each.workspaceId)) {
      const orphaned = await orphanedOf(log, workspaceId, judgements)
      if (orphaned.length > 0) await store.delete(orphaned)
      deleted += orphaned.length
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return deleted
    after = last.id
  }
}

async function orphanedOf(
  log: Pick<LogReader, 'present'>,
  workspaceId: string,
  judgements: Awaited<ReturnType<PurgingStore['loggedAfter']>>,
): Promise<readonly string[]> {
  const logIds = [...new Set(judgements.flatMap((each) => each.logIds))]
  const present = new Set<string>()
  for (let from = 0; from < logIds.length; from += maxIdsPerCall) {
    const found = await log.present(workspaceIdentity(workspaceId), logIds.slice(from, from + maxIdsPerCall))
    for (const id of found) present.add(id)
  }
  // A verdict on a run may speak of any of its steps, so it is deleted with the first one.
  return judgements.flatMap((each) => (each.logIds.every((logId) => present.has(logId)) ? [] : [each.id]))
}
