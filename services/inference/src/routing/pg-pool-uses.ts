import type { Pool } from '@ratchet/db/connect-pool'
import type { PoolUseStore } from './pool-uses.ts'

/** Uses of versions in Postgres, where the worker that manages the pool reads them. */
export function createPgPoolUses(pool: Pick<Pool, 'query'>): PoolUseStore {
  return {
    async note(uses) {
      const values = [uses.map(({ versionId }) => versionId), uses.map(({ workspaceId }) => workspaceId)]
      await pool.query(noteStatement, values)
    },
    async wake({ versionId, workspaceId }) {
      await pool.query(`WITH noted AS (${noteStatement}) SELECT pg_notify('ratchet_work', '')`, [
        [versionId],
        [workspaceId],
      ])
    },
    async addresses({ versionId, workspaceId }) {
      const { rows } = await pool.query<{ addresses: readonly string[] | null }>(addressesStatement, [
        workspaceId,
        versionId,
      ])
      return rows[0]?.addresses ?? []
    },
  }
}

const noteStatement = `
  INSERT INTO version_use AS u (version_id, workspace_id, used_at)
  SELECT version_id, workspace_id, now() FROM unnest($1::uuid[], $2::uuid[]) AS noted(version_id, workspace_id)
  ON CONFLICT (version_id) DO UPDATE SET used_at = now() WHERE u.workspace_id = excluded.workspace_id`

const addressesStatement = 'SELECT addresses FROM version_route WHERE workspace_id = $1 AND id = $2'
