import type { Pool } from '@ratchet/db/connect-pool'
import type { SnapshotReader } from './snapshot-reader.ts'
import { type SnapshotRow, snapshotColumns, snapshotOf } from './snapshot-row.ts'

/** What grades keep of exchanges, in Postgres. */
export function createPgSnapshots(pool: Pool): SnapshotReader {
  return {
    async get(workspaceId, snapshotId) {
      const text = `SELECT ${snapshotColumns} FROM label_snapshot WHERE workspace_id = $1 AND id = $2`
      const { rows } = await pool.query<SnapshotRow>(text, [workspaceId, snapshotId])
      if (rows[0] === undefined) return null
      const { sha256: _, ...content } = snapshotOf(rows[0])
      return content
    },
  }
}
