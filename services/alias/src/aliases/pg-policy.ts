import type { Pool } from '@ratchet/db/connect-pool'

/** Reads the evidence policy of a workspace. */
export function createPgPolicy(pool: Pool): (workspaceId: string) => Promise<'off' | 'enforce'> {
  return async (workspaceId) => {
    const text = 'SELECT evidence_policy FROM workspace_alias_settings WHERE workspace_id = $1'
    const { rows } = await pool.query<{ evidence_policy: 'off' | 'enforce' }>(text, [workspaceId])
    return rows[0]?.evidence_policy ?? 'off'
  }
}
