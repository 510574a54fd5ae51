import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { lockWorkspaces } from './pg-segment-families.ts'

/**
 * Removes the names of families whose last exchange was deleted, because a name is the beginning of a prompt. The next
 * prompt of a family gives it a name again.
 */
export async function removeUnusedNames(pool: Pool): Promise<void> {
  const text = 'SELECT DISTINCT workspace_id FROM segment_unused WHERE NOT is_unnamed'
  const { rows } = await pool.query<{ workspace_id: string }>(text)
  for (const { workspace_id: workspaceId } of rows) {
    await inTransaction(pool, async (client) => {
      // No exchange of the workspace is stored meanwhile.
      await client.query(lockWorkspaces([workspaceId]))
      await client.query(removeText, [workspaceId])
    })
  }
}

const removeText = `
  WITH unused AS (
    UPDATE segment_unused SET is_unnamed = true WHERE workspace_id = $1 AND NOT is_unnamed RETURNING segment
  )
  UPDATE segment_family f SET label = '', revision = nextval('segment_family_revision_seq')
  FROM unused u
  WHERE f.workspace_id = $1 AND f.id = u.segment
    AND NOT EXISTS (SELECT FROM segment_traffic t WHERE t.workspace_id = $1 AND t.segment = u.segment)`

/**
 * Writes the table of families again when a name was removed before `before`, so that its file has nothing left of it.
 *
 * @returns whether it was written
 */
export async function rewriteUnusedNames(pool: Pool, before: Date): Promise<boolean> {
  const text = 'SELECT workspace_id, segment FROM segment_unused WHERE is_unnamed'
  const { rows } = await pool.query<{ workspace_id: string; segment: string }>(text)
  const due = 'SELECT EXISTS (SELECT FROM segment_unused WHERE is_unnamed AND deleted_at <= $1) AS is_due'
  const { rows: found } = await pool.query<{ is_due: boolean }>(due, [before])
  if (found[0]?.is_due !== true) return false
  await pool.query('SELECT rewrite_segment_families()')
  // Only what was read before: a later name may have been removed after the table was written.
  await pool.query(
    `DELETE FROM segment_unused s USING unnest($1::uuid[], $2::text[]) AS done(workspace_id, segment)
     WHERE s.workspace_id = done.workspace_id AND s.segment = done.segment AND s.is_unnamed`,
    [rows.map(({ workspace_id }) => workspace_id), rows.map(({ segment }) => segment)],
  )
  return true
}
