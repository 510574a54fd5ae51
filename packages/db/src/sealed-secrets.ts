import type { Pool } from './connect-pool.ts'

/*
 * Encrypted secrets of workspaces, for an operator who changes the encryption key. Nothing here decrypts them.
 */

/**
 * `provider_key`: keys for model providers. `webhook`: secrets that sign webhook messages. `environment_tool_secret`: headers of
 * environment tools, and what signs their calls. `voice_tool_secret`: the same of tools of voice agents.
 * `voice_number_secret`: passwords of trunks of telephone numbers.
 */
export type SecretTable =
  | 'provider_key'
  | 'webhook'
  | 'environment_tool_secret'
  | 'voice_tool_secret'
  | 'voice_number_secret'

export const secretTables: readonly SecretTable[] = [
  'provider_key',
  'webhook',
  'environment_tool_secret',
  'voice_tool_secret',
  'voice_number_secret',
]

/** An encrypted secret and its row. */
export interface SealedRow {
  readonly id: string
  readonly workspaceId: string
  /** Null for all but keys of providers. */
  readonly provider: string | null
  readonly keyId: string
  readonly nonce: Uint8Array<ArrayBuffer>
  readonly ciphertext: Uint8Array<ArrayBuffer>
}

type Sealed = Pick<SealedRow, 'keyId' | 'nonce' | 'ciphertext'>

/** Number of secrets that a key encrypted. */
export interface SecretCount {
  readonly table: SecretTable
  readonly keyId: string
  readonly count: number
}

/** Counts the secrets of each table and key. */
export async function countSecrets(pool: Pick<Pool, 'query'>): Promise<readonly SecretCount[]> {
  const counts = secretTables.map(
    (table) => `SELECT '${table}' AS "table", key_id AS "keyId", count(*)::int AS count FROM ${table} GROUP BY key_id`,
  )
  return (await pool.query<SecretCount>(`${counts.join(' UNION ALL ')} ORDER BY 1, 2`)).rows
}

/** Secrets of a table that another key encrypted, in order of their ids, after `after`. */
export async function readSecretsNotUnder(
  pool: Pick<Pool, 'query'>,
  page: { readonly table: SecretTable; readonly keyId: string; readonly after: string | null; readonly limit: number },
): Promise<readonly SealedRow[]> {
  const provider = page.table === 'provider_key' ? 'provider' : 'NULL::text AS provider'
  const { rows } = await pool.query<Omit<SealedRow, 'nonce' | 'ciphertext'> & { nonce: Buffer; ciphertext: Buffer }>(
    `SELECT id, workspace_id AS "workspaceId", ${provider}, key_id AS "keyId", nonce, ciphertext FROM ${page.table}
     WHERE key_id <> $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
    [page.keyId, page.after, page.limit],
  )
  return rows.map((row) => ({
    ...row,
    nonce: new Uint8Array(row.nonce),
    ciphertext: new Uint8Array(row.ciphertext),
  }))
}

/**
 * Replaces the encrypted form of the same secret. The version of the row does not change, because processes that have
 * decrypted it need not do so again.
 *
 * @returns false when the row was deleted or has another secret meanwhile
 */
export async function replaceSealed(
  pool: Pick<Pool, 'query'>,
  { table, row, sealed }: { readonly table: SecretTable; readonly row: SealedRow; readonly sealed: Sealed },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE ${table} SET key_id = $3, nonce = $4, ciphertext = $5 WHERE id = $1 AND nonce = $2`,
    [row.id, Buffer.from(row.nonce), sealed.keyId, Buffer.from(sealed.nonce), Buffer.from(sealed.ciphertext)],
  )
  return rowCount === 1
}
