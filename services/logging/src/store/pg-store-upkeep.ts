import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { createSegmentFamilies, lockWorkspaces } from '../segments/pg-segment-families.ts'
import { prepareExchanges, wholeExchanges } from '../segments/pg-whole-exchanges.ts'
import type { SkeletonReader } from '../segments/skeleton-reader.ts'
import type { StoreUpkeep } from './store-upkeep.ts'

interface LabelRow {
  readonly id: string
  readonly label: string
}

interface RetentionRow {
  readonly workspace_id: string
  readonly retention_days: number
}

export interface StoreUpkeepOptions {
  readonly writes: Pool
  /** The pool of labels. */
  readonly reads: Pool
  readonly skeletons: SkeletonReader
}

export function createPgStoreUpkeep({ writes, reads, skeletons }: StoreUpkeepOptions): StoreUpkeep {
  const families = createSegmentFamilies(skeletons)
  let last: Promise<unknown> = Promise.resolve()
  return {
    async withSegments(exchanges, work) {
      const prepared = await prepareExchanges(families, exchanges)
      // Writes of one process run one after another, because they share the families in memory.
      const done = last.then(() =>
        inTransaction(writes, async (client) => {
          await client.query(lockWorkspaces([...new Set(exchanges.map(({ workspaceId }) => workspaceId))]))
          return work(await wholeExchanges(client, families, prepared))
        }).catch((error: unknown) => {
          families.reset()
          throw error
        }),
      )
      last = done.catch(() => undefined)
      return done
    },
    exclusively: (workspaceId, work) =>
      inTransaction(writes, async (client) => {
        await client.query(lockWorkspaces([workspaceId]))
        return work()
      }),
    async labels(workspaceId, segments) {
      const text = `SELECT id, label FROM segment_family WHERE workspace_id = $1 AND id = ANY($2::text[]) AND label <> ''`
      const { rows } = await reads.query<LabelRow>(text, [workspaceId, segments])
      return new Map(rows.map(({ id, label }) => [id, label]))
    },
    async retentionDays(workspaceIds) {
      const text =
        'SELECT workspace_id, retention_days FROM workspace_logging_settings WHERE workspace_id = ANY($1::uuid[])'
      const { rows } = await reads.query<RetentionRow>(text, [workspaceIds])
      return new Map(rows.map((row) => [row.workspace_id, row.retention_days]))
    },
  }
}
