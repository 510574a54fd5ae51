import { randomBytes, randomUUID } from 'node:crypto'
import { mintVoiceKey } from '@ratchet/contracts/voice/voice-key'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { pgKeyStore } from '../keys/pg-key-store.ts'
import { windowOffset, windowSeconds } from './hourly-window.ts'
import { createPgVoiceKeys } from './pg-voice-keys.ts'
import { createPgVoiceWindows } from './pg-voice-windows.ts'

let database: FreshDatabase
let operator: Pool
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 2 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_edge', max: 4 })
})
afterAll(async () => {
  await Promise.all([operator.end(), pool.end()])
  await database.drop()
})

it('counts each request once, over all edges at once', async () => {
  const edges = [createPgVoiceWindows(pool), createPgVoiceWindows(pool)]
  const keyIds = [randomUUID(), randomUUID(), randomUUID()]
  const counted = await Promise.all(
    Array.from({ length: 600 }, async (_, i) => {
      const keyId = keyIds[i % 3] ?? ''
      return { keyId, place: await edges[i % 2]!.count(keyId) }
    }),
  )
  for (const keyId of keyIds) {
    const places = counted.filter((each) => each.keyId === keyId).map(({ place }) => place)
    expect(places.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 200 }, (_, i) => i + 1),
    )
    const [first] = places
    expect(new Set(places.map(({ resetsAt }) => resetsAt)).size).toBe(1)
    expect((first!.resetsAt - windowOffset(keyId)) % windowSeconds).toBe(0)
    const { rows } = await operator.query<{ now: number }>('SELECT extract(epoch FROM now())::int AS now')
    expect(first!.resetsAt - rows[0]!.now).toBeGreaterThan(0)
    expect(first!.resetsAt - rows[0]!.now).toBeLessThanOrEqual(windowSeconds)
  }
})

it('begins anew in the next window, and deletes windows that are over', async () => {
  const windows = createPgVoiceWindows(pool)
  const keyId = randomUUID()
  await windows.count(keyId)
  await operator.query(`UPDATE voice_window SET window_start = window_start - interval '3 hours' WHERE key_id = $1`, [
    keyId,
  ])
  expect((await windows.count(keyId)).number).toBe(1)
  await windows.prune()
  const { rows } = await operator.query('SELECT used FROM voice_window WHERE key_id = $1', [keyId])
  expect(rows).toEqual([{ used: 1 }])
})

interface NewKey {
  readonly surface?: string
  readonly env?: string | null
  readonly scope?: string
  readonly expiresAt?: Date | null
}

/** A member of a new workspace, with a key. */
async function createKey({ surface = 'voice', env = 'live', scope = 'workspace', expiresAt = null }: NewKey = {}) {
  const [workspaceId, userId, keyId] = [randomUUID(), randomUUID(), randomUUID()]
  const key = mintVoiceKey('live', randomBytes)
  const at = new Date()
  await operator.query('INSERT INTO workspace (id, slug, name, created_at) VALUES ($1, $2, $2, $3)', [
    workspaceId,
    `w-${workspaceId}`,
    at,
  ])
  await operator.query('INSERT INTO app_user (id, email, name, created_at) VALUES ($1, $2, $2, $3)', [
    userId,
    `${userId}@example.com`,
    at,
  ])
  await operator.query(
    "INSERT INTO membership (workspace_id, user_id, role, created_at) VALUES ($1, $2, 'admin', $3)",
    [workspaceId, userId, at],
  )
  const values = [keyId, workspaceId, userId, Buffer.from(hashApiKey(key)), key.slice(0, 12), at, surface, env, scope]
  await operator.query(
    `INSERT INTO api_key (id, workspace_id, user_id, name, hash, display, created_at, surface, env, scope, expires_at)
     VALUES ($1, $2, $3, 'key', $4, $5, $6, $7, $8, $9, $10)`,
    [...values, expiresAt],
  )
  return { key, keyId, workspaceId, userId }
}

const find = (key: string) => createPgVoiceKeys(pool).find(hashApiKey(key))

it('finds a voice key with its caller, and the gateway does not', async () => {
  const { key, ...ids } = await createKey({ env: 'test', scope: 'user' })
  expect(await find(key)).toEqual({ ...ids, role: 'admin', env: 'test', scope: 'user' })
  const hash = Buffer.from(hashApiKey(key)).toString('hex')
  expect((await pgKeyStore(pool).find([hash])).size).toBe(0)
})

it('finds no key that is revoked, expired, of the gateway, of a former member or of a disabled workspace', async () => {
  const future = new Date(Date.now() + 60_000)
  expect(await find((await createKey({ expiresAt: future })).key)).not.toBeNull()
  expect(await find((await createKey({ expiresAt: new Date(Date.now() - 1_000) })).key)).toBeNull()
  expect(await find((await createKey({ surface: 'gateway', env: null })).key)).toBeNull()
  const revoked = await createKey()
  await operator.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [revoked.keyId])
  expect(await find(revoked.key)).toBeNull()
  const former = await createKey()
  await operator.query('DELETE FROM membership WHERE user_id = $1', [former.userId])
  expect(await find(former.key)).toBeNull()
  const disabled = await createKey()
  await operator.query('UPDATE workspace SET disabled_at = now() WHERE id = $1', [disabled.workspaceId])
  expect(await find(disabled.key)).toBeNull()
})

it('stores no key with an environment or a scope that its interface does not have', async () => {
  await expect(createKey({ env: null })).rejects.toThrow('api_key_env_check')
  await expect(createKey({ surface: 'gateway' })).rejects.toThrow('api_key_env_check')
  await expect(createKey({ env: 'other' })).rejects.toThrow('api_key_env_check')
  await expect(createKey({ surface: 'gateway', env: null, scope: 'user' })).rejects.toThrow('api_key_scope_check')
})
