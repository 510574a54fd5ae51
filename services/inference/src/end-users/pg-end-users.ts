import type { Pool } from '@ratchet/db/connect-pool'
import type { SeenEndUser } from './name-end-users.ts'

/** The names of end users in the main database. */
export interface EndUserStore {
  save(users: readonly SeenEndUser[]): Promise<void>
  /** By number; one that was erased is missing. */
  names(workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
}

/** Ordered, so that two processes that write the same do not deadlock. A workspace that was deleted has no users. */
const saveStatement = `
INSERT INTO end_user (workspace_id, id, name, first_seen_at)
SELECT t.workspace_id, t.id, t.name, now()
FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS t(workspace_id, id, name) JOIN workspace_ledger l USING (workspace_id)
ORDER BY 1, 2 ON CONFLICT DO NOTHING`

export function createPgEndUsers(pool: Pick<Pool, 'query'>): EndUserStore {
  return {
    async save(users) {
      const values = [
        users.map(({ workspaceId }) => workspaceId),
        users.map(({ id }) => id),
        users.map(({ name }) => name),
      ]
      await pool.query(saveStatement, values)
    },
    async names(workspaceId, ids) {
      if (ids.length === 0) return new Map()
      const text = 'SELECT id, name FROM end_user WHERE workspace_id = $1 AND id = ANY($2::uuid[])'
      const { rows } = await pool.query<{ id: string; name: string }>(text, [workspaceId, ids])
      return new Map(rows.map(({ id, name }) => [id, name]))
    },
  }
}
