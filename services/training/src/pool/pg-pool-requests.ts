import type { Pool } from '@ratchet/db/connect-pool'
import type { PoolRequests } from './pool-requests.ts'

/** What users ask of the pool, as rows. */
export function createPgPoolRequests(pool: Pool): PoolRequests {
  return {
    async serve({ id, workspaceId, baseModel, adapter, requestedBy }, mostOfWorkspace) {
      const values = [id, workspaceId, baseModel, adapter, requestedBy, mostOfWorkspace]
      const { rows } = await pool.query<{ has_room: boolean }>(serveStatement, values)
      return rows[0]?.has_room === true
    },
    async unserve({ id, workspaceId }) {
      await pool.query(unserveStatement, [id, workspaceId])
    },
  }
}

const serveStatement = `
  WITH room AS (
    SELECT count(*) FILTER (WHERE version_id <> $1) < $6 AS has_room FROM pool_version WHERE workspace_id = $2
  ), asked AS (
    INSERT INTO pool_version AS p (version_id, workspace_id, base_model, adapter, state, requested_at, requested_by)
    SELECT v.id, v.workspace_id, $3, $4, 'loading', now(), $5 FROM model_version v
    WHERE v.workspace_id = $2 AND v.id = $1 AND v.archived_at IS NULL AND (SELECT has_room FROM room)
    ON CONFLICT (version_id) DO UPDATE SET state = 'loading', error = NULL, requested_at = now()
    WHERE p.workspace_id = $2 AND p.state = 'failed'
  ), retried AS (
    DELETE FROM pool_adapter WHERE workspace_id = $2 AND version_id = $1 AND state = 'failed'
  )
  SELECT has_room, pg_notify('ratchet_work', '')::text FROM room`

const unserveStatement = `
  WITH changed AS (
    DELETE FROM pool_version WHERE workspace_id = $2 AND version_id = $1 RETURNING workspace_id
  ), unused AS (
    DELETE FROM version_use WHERE workspace_id = $2 AND version_id = $1
  ), raised AS (
    INSERT INTO version_revision AS r (workspace_id, revision) SELECT workspace_id, 1 FROM changed
    ON CONFLICT (workspace_id) DO UPDATE SET revision = r.revision + 1
  )
  SELECT pg_notify('ratchet_work', '')`
