import type { Pool } from '@ratchet/db/connect-pool'

/** Leaves a workspace so many bytes of a quota of 1 GB. */
export async function fillStorage(operator: Pool, workspaceId: string, leftBytes: number): Promise<void> {
  const named = `INSERT INTO workspace (id, slug, name, created_at) VALUES ($1, $2, 'W', now()) ON CONFLICT DO NOTHING`
  await operator.query(named, [workspaceId, `w-${workspaceId}`])
  await operator.query('INSERT INTO workspace_settings (workspace_id, max_storage_gb) VALUES ($1, 1)', [workspaceId])
  const filled = `INSERT INTO stored_bytes VALUES ($1, 'infinity', 1024::bigint ^ 3 - $2)
    ON CONFLICT (workspace_id, expires_on) DO UPDATE SET bytes = excluded.bytes`
  await operator.query(filled, [workspaceId, leftBytes])
}

/** Gives it the usual quota again. */
export async function emptyStorage(operator: Pool, workspaceId: string): Promise<void> {
  await operator.query('DELETE FROM stored_bytes WHERE workspace_id = $1', [workspaceId])
}
