import { Role } from '@ratchet/contracts/identity'
import type { Pool } from '@ratchet/db/connect-pool'
import { queryPlain } from '@ratchet/db/plain-statement'
import type { KeyStore, KeyUse } from './key-store.ts'

type Row = [hash: string, keyId: string, workspaceId: string, userId: string, role: string, expiresAtMs: string]

/** Prepared once per connection, because the text contains no values. */
const findKeys = {
  name: 'edge-find-keys',
  text: `SELECT encode(hash, 'hex'), key_id, workspace_id, user_id, role,
           coalesce((extract(epoch FROM expires_at) * 1000)::bigint::text, '')
         FROM api_key_identity WHERE hash = ANY($1::bytea[])`,
} as const

const recordUses = {
  name: 'edge-record-key-uses',
  // Ordered, so that two edges that write the same keys do not deadlock.
  text: `INSERT INTO api_key_use (key_id, last_used_at)
         SELECT key_id, at FROM unnest($1::uuid[], $2::timestamptz[]) AS used(key_id, at) ORDER BY key_id
         ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at
         WHERE excluded.last_used_at > api_key_use.last_used_at`,
} as const

/** API keys in Postgres, read from the one view that the edge's role may read. */
export function pgKeyStore(pool: Pool): KeyStore {
  return {
    async find(hashes) {
      const rows = await findRows(pool, hashes)
      return new Map(
        rows.map(([keyHash, keyId, workspaceId, userId, role, expiresAtMs]) => {
          const identity = { keyId, workspaceId, userId, role: Role.parse(role) }
          return [keyHash, expiresAtMs === '' ? identity : { ...identity, expiresAtMs: Number(expiresAtMs) }]
        }),
      )
    },
    async recordUse(uses: readonly KeyUse[]) {
      const values = [uses.map(({ keyId }) => keyId), uses.map(({ at }) => at)]
      await pool.query({ ...recordUses, values })
    },
  }
}

async function findRows(pool: Pool, hashes: readonly string[]): Promise<readonly Row[]> {
  const client = await pool.connect()
  client.on('error', failsItsQuery)
  let failure: Error | undefined
  try {
    return await queryPlain<Row>(client, { ...findKeys, values: [byteaArray(hashes)] })
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw failure
  } finally {
    client.off('error', failsItsQuery)
    client.release(failure)
  }
}

/** The query of a broken connection fails anyway. Without a listener the event would end the process. */
function failsItsQuery(): void {}

/** An array literal of SHA-256 hashes in hex, which need no escaping. */
function byteaArray(hashes: readonly string[]): string {
  return `{${hashes.map((keyHash) => `"\\\\x${keyHash}"`).join(',')}}`
}
