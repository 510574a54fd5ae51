import type { Pool } from './connect-pool.ts'

/** An entry of the sealed log of a workspace. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly position: number
  /** JSON text, to the byte as it was sealed. */
  readonly content: string
  /** In hex. */
  readonly hash: string
}

const pageSize = 500

/** The entries of a workspace, the oldest first. Those that are added meanwhile may be among them. */
export async function* readAuditLog(pool: Pick<Pool, 'query'>, workspaceId: string): AsyncGenerator<AuditEntry, void> {
  for (let after = 0; ; ) {
    const { rows } = await pool.query<{ position: string; content: string; hash: string }>(
      `SELECT position, content, encode(hash, 'hex') AS hash FROM audit_log
       WHERE workspace_id = $1 AND position > $2 ORDER BY position LIMIT $3`,
      [workspaceId, after, pageSize],
    )
    for (const { position, content, hash } of rows) yield { position: Number(position), content, hash }
    if (rows.length < pageSize) return
    after = Number(rows.at(-1)?.position)
  }
}
