import { Role } from '@ratchet/contracts/identity'
import type { Pool } from '@ratchet/db/connect-pool'
import type { VoiceCaller, VoiceKeyStore } from './voice-keys.ts'

const findKey = {
  name: 'edge-find-voice-key',
  text: `SELECT key_id AS "keyId", workspace_id AS "workspaceId", user_id AS "userId", role, env, scope
         FROM voice_key_identity WHERE hash = $1`,
} as const

/** Voice keys in Postgres. Each is read for each request, so that a revocation holds from its commit. */
export function createPgVoiceKeys(pool: Pick<Pool, 'query'>): VoiceKeyStore {
  return {
    async find(hash) {
      const { rows } = await pool.query<VoiceCaller>({ ...findKey, values: [Buffer.from(hash)] })
      const [row] = rows
      return row === undefined ? null : { ...row, role: Role.parse(row.role) }
    },
  }
}
