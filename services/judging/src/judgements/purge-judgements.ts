import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { LoggedJudgement, PurgingStore } from './purging.ts'

export interface PurgeJudgementsDeps {
  readonly store: PurgingStore
  readonly log: Pick<LogReader, 'present'>
}

const pageSize = 5_000

/** Deletes what judges said of exchanges that have expired, or were deleted from the log. Resolves with how many. */
export async function purgeJudgements({ store, log }: PurgeJudgementsDeps): Promise<number> {
  let forgotten = await store.purgeExpired()
  let after = '00000000-0000-0000-0000-000000000000'
  while (true) {
    const page = await store.loggedAfter(after, pageSize)
    for (const [workspaceId, judgements] of Map.groupBy(page, (each) => each.workspaceId)) {
      const gone = await goneOf(log, workspaceId, judgements)
      if (gone.length > 0) await store.forget(gone)
      forgotten += gone.length
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return forgotten
    after = last.id
  }
}

async function goneOf(
  log: Pick<LogReader, 'present'>,
  workspaceId: string,
  judgements: readonly LoggedJudgement[],
): Promise<readonly string[]> {
  const logIds = [...new Set(judgements.map(({ logId }) => logId))]
  const present = await log.present(workerIdentity(workspaceId, workspaceId), logIds)
  return judgements.flatMap(({ id, logId }) => (present.has(logId) ? [] : [id]))
}
