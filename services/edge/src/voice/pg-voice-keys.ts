import { Role } from '@ratchet/contracts/identity'
import type { Pool } from '@ratchet/db/connect-pool'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import type { VoiceCaller, VoiceKeyStore } from './voice-keys.ts'

const findKeys = {
  name: 'edge-find-voice-keys',
  text: `SELECT encode(hash, 'hex') AS hash, key_id AS "keyId", workspace_id AS "workspaceId", user_id AS "userId", role, env, scope
         FROM voice_key_identity WHERE hash = ANY($1)`,
} as const

/**
 * Voice keys in Postgres. Each is read for each request, so that a revocation holds from its commit; those of one moment in one
 * statement, so that a flood of them leaves connections for others.
 */
export function createPgVoiceKeys(pool: Pick<Pool, 'query'>): VoiceKeyStore {
  const batches = createGroupCommit<string, VoiceCaller | null>({ run: (hashes) => findAll(pool, hashes) })
  return { find: (hash) => batches.add(Buffer.from(hash).toString('hex')) }
}

async function findAll(pool: Pick<Pool, 'query'>, hashes: readonly string[]): Promise<readonly (VoiceCaller | null)[]> {
  const values = [[...new Set(hashes)].map((hash) => Buffer.from(hash, 'hex'))]
  const { rows } = await pool.query<VoiceCaller & { readonly hash: string }>({ ...findKeys, values })
  const found = new Map(rows.map(({ hash, ...caller }) => [hash, { ...caller, role: Role.parse(caller.role) }]))
  return hashes.map((hash) => found.get(hash) ?? null)
}
