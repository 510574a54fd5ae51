import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { isLockTimeout } from '@ratchet/db/is-lock-timeout'
import { lockWorkspaces } from './pg-segment-families.ts'

/**
 * Removes the names of families whose last exchange was deleted, because a name is the beginning of a prompt, and the tokens of
 * its words. The next prompt of a family gives it a name again.
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
  WITH locked AS (
    SELECT segment FROM segment_unused WHERE workspace_id = $1 AND NOT is_unnamed ORDER BY segment FOR UPDATE
  ), unused AS (
    UPDATE segment_unused s SET is_unnamed = true FROM locked WHERE s.workspace_id = $1 AND s.segment = locked.segment
    RETURNING s.segment
  )
  UPDATE segment_family f SET label = '', state = (f.state::jsonb - 'lines' - 'parts')::text, revision = nextval('segment_family_revision_seq')
  FROM unused u
  WHERE f.workspace_id = $1 AND f.id = u.segment
    AND NOT EXISTS (SELECT FROM segment_traffic t WHERE t.workspace_id = $1 AND t.segment = u.segment)`

/** A larger table is left to the vacuum, because nothing is stored while it is written. */
const maxTableBytes = 128 * mebibyte

/** @returns false while the table is in use, or an older transaction may read what was removed: it is tried again */
async function rewrite(pool: Pool): Promise<boolean> {
  try {
    const text = 'SELECT rewrite_segment_families($1) AS is_rewritten'
    const { rows } = await pool.query<{ is_rewritten: boolean }>(text, [maxTableBytes])
    return rows[0]?.is_rewritten === true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

/**
 * Writes the table of families again when a name was removed before `before`, so that its file has nothing left of it.
 *
 * @returns whether that was done
 */
export async function rewriteUnusedNames(pool: Pool, before: Date): Promise<boolean> {
  const text = 'SELECT workspace_id, segment FROM segment_unused WHERE is_unnamed'
  const { rows } = await pool.query<{ workspace_id: string; segment: string }>(text)
  const due = 'SELECT EXISTS (SELECT FROM segment_unused WHERE is_unnamed AND deleted_at <= $1) AS is_due'
  const { rows: found } = await pool.query<{ is_due: boolean }>(due, [before])
  if (found[0]?.is_due !== true) return false
  if (!(await rewrite(pool))) return false
  // Only what was read before: a later name may have been removed after the table was written.
  await pool.query(
    `WITH locked AS (
       SELECT workspace_id, segment FROM segment_unused
       WHERE (workspace_id, segment) IN (SELECT * FROM unnest($1::uuid[], $2::text[])) AND is_unnamed
       ORDER BY workspace_id, segment FOR UPDATE
     )
     DELETE FROM segment_unused s USING locked WHERE s.workspace_id = locked.workspace_id AND s.segment = locked.segment`,
    [rows.map(({ workspace_id }) => workspace_id), rows.map(({ segment }) => segment)],
  )
  return true
}
