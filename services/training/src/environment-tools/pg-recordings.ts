import type { Pool } from '@ratchet/db/connect-pool'
import type { Recording } from './environment-tool.ts'
import type { RecordingStore } from './recordings.ts'

/** Recordings in Postgres. They are written together with their tool. */
export function createPgRecordings(pool: Pool): RecordingStore {
  return {
    async find({ workspaceId, id }, key) {
      const { rows } = await pool.query<Pick<Recording, 'result'>>(findStatement, [workspaceId, id, key])
      return rows[0] ?? null
    },
    async keys({ workspaceId, id }) {
      const { rows } = await pool.query<Pick<Recording, 'key' | 'compared'>>(keysStatement, [workspaceId, id])
      return rows
    },
  }
}

const findStatement = 'SELECT result FROM tool_recording WHERE workspace_id = $1 AND tool_id = $2 AND key = $3'
const keysStatement =
  'SELECT key, compared FROM tool_recording WHERE workspace_id = $1 AND tool_id = $2 ORDER BY seen DESC, key'
