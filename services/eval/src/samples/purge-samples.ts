import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { PurgeStore, ReferencedLog } from './pg-purge.ts'

export interface PurgeSamplesDeps {
  readonly store: PurgeStore
  readonly log: Pick<LogReader, 'present'>
}

const pageSize = 5_000

/**
 * Deletes the texts of samples whose log entries have expired or were deleted. Measurements stay, because they contain no
 * texts.
 */
export async function purgeSamples({ store, log }: PurgeSamplesDeps): Promise<void> {
  await store.purgeExpired()
  let after: ReferencedLog | null = null
  while (true) {
    const page: readonly ReferencedLog[] = await store.referencedLogs(after, pageSize)
    for (const [workspaceId, referenced] of Map.groupBy(page, (each) => each.workspaceId)) {
      const logIds = referenced.map(({ logId }) => logId)
      const present = await log.present(workspaceIdentity(workspaceId), logIds)
      const deleted = referenced.filter(({ logId }) => !present.has(logId))
      if (deleted.length > 0) await store.purge(deleted)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = last
  }
}
