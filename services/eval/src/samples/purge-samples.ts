import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { ForgettingStore, HeldLog } from './sample.ts'

export interface ForgetSamplesDeps {
  readonly store: ForgettingStore
  readonly log: Pick<LogReader, 'present'>
}

const pageSize = 5_000

/**
 * Takes the texts of samples away whose log entries have expired, or were deleted. What was measured stays: numbers tell
 * nothing of what was said.
 */
export async function forgetSamples({ store, log }: ForgetSamplesDeps): Promise<void> {
  await store.forgetExpired()
  let after: HeldLog | null = null
  while (true) {
    const page: readonly HeldLog[] = await store.heldLogs(after, pageSize)
    for (const [workspaceId, held] of Map.groupBy(page, (each) => each.workspaceId)) {
      const logIds = held.map(({ logId }) => logId)
      const present = await log.present(workerIdentity(workspaceId, workspaceId), logIds)
      const gone = held.filter(({ logId }) => !present.has(logId))
      if (gone.length > 0) await store.forget(gone)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last
  }
}
