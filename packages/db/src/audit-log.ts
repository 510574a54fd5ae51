import type { Pool } from './connect-pool.ts'

/** An entry of the sealed log of a workspace. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly position: number
  /** JSON text, to the byte as it was sealed; empty when it was erased together with a person. */
  readonly content: string
  /** SHA-256 of what was sealed, in hex: only of an entry whose content was erased. */
  readonly digest?: string
  /** In hex. */
  readonly hash: string
}

const pageSize = 500

/** The entries of a workspace, the oldest first. Those that are added meanwhile may be among them. */
export async function* readAuditLog(pool: Pick<Pool, 'query'>, workspaceId: string): AsyncGenerator<AuditEntry, void> {
  for (let after = 0; ; ) {
    const { rows } = await pool.query<{ position: string; content: string; digest: string; hash: string }>(
      `SELECT position, content, encode(digest, 'hex') AS digest, encode(hash, 'hex') AS hash FROM audit_log
       WHERE workspace_id = $1 AND position > $2 ORDER BY position LIMIT $3`,
      [workspaceId, after, pageSize],
    )
    for (const { position, content, digest, hash } of rows) {
      yield { position: Number(position), content, ...(content === '' ? { digest } : {}), hash }
    }
    if (rows.length < pageSize) return
    after = Number(rows.at(-1)?.position)
  }
}
