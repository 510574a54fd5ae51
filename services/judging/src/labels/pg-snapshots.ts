import type { Pool } from '@ratchet/db/connect-pool'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { type SnapshotRow, snapshotColumns, snapshotOf } from './pg-snapshot-row.ts'

export type SnapshotReader = ReturnType<typeof createPgSnapshots>

export function createPgSnapshots(pool: Pool) {
  return {
    /** Null when the workspace has no snapshot with this id. */
    async get(workspaceId: string, snapshotId: string): Promise<JudgedExchange | null> {
      const text = `SELECT ${snapshotColumns} FROM label_snapshot WHERE workspace_id = $1 AND id = $2`
      const { rows } = await pool.query<SnapshotRow>(text, [workspaceId, snapshotId])
      if (rows[0] === undefined) return null
      const { sha256: _, ...content } = snapshotOf(rows[0])
      return content
    },
  }
}
