import { randomBytes, randomUUID } from 'node:crypto'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createKeyOpener, type UnusableKey } from './open-provider-keys.ts'
import { pgSettings } from './pg-settings.ts'
import { createSettingsCache } from './settings-cache.ts'
import type { StoredSettings } from './settings-store.ts'
import { defaultSettings, type SettingsSource } from './workspace-settings.ts'

const box = createSecretBox({ keys: [{ id: 'k1', secret: randomBytes(32) }], randomBytes })

let database: FreshDatabase
let operator: Pool
let postgres: ChaosProxy
let unusable: UnusableKey[]
let failures: unknown[]
let settings: SettingsSource
const undo: (() => unknown)[] = []

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 2 })
})
afterAll(async () => {
  await operator.end()
  await database.drop()
})
beforeEach(async () => {
  const url = new URL(database.url)
  postgres = await startChaosProxy({ targetHost: url.hostname, targetPort: Number(url.port) })
  undo.push(() => postgres.stop())
  url.host = `127.0.0.1:${postgres.port}`
  unusable = []
  failures = []
  const pool = connectPool({
    databaseUrl: url.href,
    role: 'ratchet_inference',
    max: 2,
    queryTimeoutMs: 60_000,
    connectTimeoutMs: 1_000,
  })
  undo.push(() => pool.end())
  const rules = { customHosts: false, allowedHosts: new Set<string>() }
  const cache = createSettingsCache({
    store: pgSettings(pool),
    openKeys: createKeyOpener({ box, rules, onUnusable: (key) => unusable.push(key) }),
    clockMs: () => performance.now(),
  })
  undo.push(repeatEvery({ everyMs: 20, work: cache.refresh, onError: (error) => failures.push(error) }))
  settings = cache
})
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

async function newWorkspace(): Promise<string> {
  const id = randomUUID()
  await operator.query('INSERT INTO workspace VALUES ($1::uuid, $1::text, $1::text, now())', [id])
  return id
}

async function storeKey(workspaceId: string, provider: string, secret: string): Promise<string> {
  const id = randomUUID()
  const { keyId, nonce, ciphertext } = box.seal(secret, providerKeyPlace({ workspaceId, provider }))
  await operator.query(
    `INSERT INTO provider_key (id, workspace_id, provider, ciphertext, nonce, key_id, display, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, '----', now(), now())`,
    [id, workspaceId, provider, Buffer.from(ciphertext), Buffer.from(nonce), keyId],
  )
  return id
}

it('has the defaults for a workspace without settings, and for an unknown one', async () => {
  expect(await settings.of(await newWorkspace())).toEqual(defaultSettings)
  expect(await settings.of(randomUUID())).toEqual(defaultSettings)
})

it('reads all settings and keys of a workspace', async () => {
  const workspaceId = await newWorkspace()
  await operator.query(`INSERT INTO workspace_settings VALUES ($1, true, 7, true, ARRAY['b/y', 'a/x'], 100, 20000)`, [
    workspaceId,
  ])
  const [keyId, budgetId] = [randomUUID(), randomUUID()]
  await operator.query(
    `WITH u AS (INSERT INTO app_user VALUES (gen_random_uuid(), $1::text, 'U', now()) RETURNING id)
     INSERT INTO api_key (id, workspace_id, user_id, name, hash, display, created_at, requests_per_minute)
     SELECT $2, $1::uuid, u.id, 'k', decode(replace($1::text, '-', ''), 'hex'), 'sk_svc_12345', now(), 5 FROM u`,
    [workspaceId, keyId],
  )
  await operator.query("UPDATE api_key SET allowed_models = '{b/*}' WHERE id = $1", [keyId])
  await operator.query(
    `INSERT INTO budget (id, workspace_id, scope, subject, period, amount, fallback_model, created_at, updated_at)
     VALUES ($1, $2, 'user', '*', 'day', 9007199254740993, 'b/y', now(), now())`,
    [budgetId, workspaceId],
  )
  const id = await storeKey(workspaceId, 'openai', 'sk-ünïcödé')
  expect(await settings.of(workspaceId)).toEqual({
    budgets: [
      {
        id: budgetId,
        scope: 'user',
        subject: '*',
        period: 'day',
        amountNano: 9_007_199_254_740_993n,
        fallbackModel: 'b/y',
      },
    ],
    keyModels: new Map([[keyId, ['b/*']]]),
    loggingEnabled: true,
    retentionDays: 7,
    logResponses: false,
    responseCache: true,
    fallbackModels: ['b/y', 'a/x'],
    limits: { requestsPerMinute: 100, tokensPerMinute: 20_000 },
    keyLimits: new Map([[keyId, { requestsPerMinute: 5, tokensPerMinute: null }]]),
    providerKeys: new Map([['openai', { id, apiKey: 'sk-ünïcödé', baseUrl: null }]]),
    unusableProviders: new Set(),
    aliases: new Map(),
    versions: new Map(),
    dedicated: new Map(),
  })
})

async function storeAlias(workspaceId: string, name: string, target: string): Promise<string> {
  const id = randomUUID()
  await operator.query(
    `INSERT INTO alias (id, workspace_id, name, target_model, epoch_started_at, created_by, created_at, updated_at, updated_by)
     VALUES ($1, $2, $3, $4, now(), $1, now(), now(), 'somebody')`,
    [id, workspaceId, name, target],
  )
  return id
}

it('has only the aliases of the workspace; a new target, a split and a deletion apply', async () => {
  const [workspaceId, outsider] = [await newWorkspace(), await newWorkspace()]
  const id = await storeAlias(workspaceId, 'support-bot', 'a/x')
  await storeAlias(workspaceId, 'other', 'a/y')
  await storeAlias(outsider, 'support-bot', 'b/z')
  const plain = { id, name: 'support-bot', targetModel: 'a/x', canaryModel: null, canaryPercent: 0, familyRules: [] }
  const { aliases } = await settings.of(workspaceId)
  expect(aliases.get('support-bot')).toEqual({ ...plain, stickyBy: 'request', epoch: 1 })
  expect([...aliases.keys()].sort()).toEqual(['other', 'support-bot'])
  await operator.query(
    `UPDATE alias SET target_model = 'a/new', canary_model = 'a/z', canary_percent = 10, sticky_by = 'trace', epoch = 2
     WHERE id = $1`,
    [id],
  )
  const split = { ...plain, targetModel: 'a/new', canaryModel: 'a/z', canaryPercent: 10, stickyBy: 'trace', epoch: 2 }
  await eventually(async () => expect((await settings.of(workspaceId)).aliases.get('support-bot')).toEqual(split))
  const familyRules = [{ segment: 'none', model: 'a/x' }]
  await operator.query('UPDATE alias SET family_rules = $2 WHERE id = $1', [id, JSON.stringify(familyRules)])
  const ruled = { ...split, familyRules }
  await eventually(async () => expect((await settings.of(workspaceId)).aliases.get('support-bot')).toEqual(ruled))
  await operator.query('DELETE FROM alias WHERE id = $1', [id])
  await eventually(async () => expect([...(await settings.of(workspaceId)).aliases.keys()]).toEqual(['other']))
  expect((await settings.of(outsider)).aliases.get('support-bot')?.targetModel).toBe('b/z')
})

it('reads aliases again only after one of them was written', async () => {
  const workspaceId = await newWorkspace()
  const rules = Array.from({ length: 200 }, (_, each) => ({
    segment: `seg_${each.toString(16).padStart(16, '0')}`,
    model: 'a/x',
  }))
  const ids: string[] = []
  for (let each = 0; each < 20; each += 1) ids.push(await storeAlias(workspaceId, `alias-${each}`, 'a/x'))
  await operator.query('UPDATE alias SET family_rules = $2 WHERE workspace_id = $1', [
    workspaceId,
    JSON.stringify(rules),
  ])
  let bytes = 0
  const counted = {
    query: async (query: { readonly text: string }) => {
      const result = await operator.query(query)
      bytes = JSON.stringify(result.rows).length
      return result
    },
  } as unknown as Pool
  const store = pgSettings(counted)
  const read = async (known?: StoredSettings) => {
    const found = await store.read([workspaceId], new Map(known === undefined ? [] : [[workspaceId, known]]))
    return found.get(workspaceId) as StoredSettings
  }
  const first = await read()
  expect(bytes).toBeGreaterThan(200_000)
  expect(first.aliases.get('alias-3')?.familyRules).toHaveLength(200)
  const second = await read(first)
  expect(bytes).toBeLessThan(2_000)
  expect(second.aliases).toBe(first.aliases)
  await operator.query("UPDATE alias SET target_model = 'a/new' WHERE id = $1", [ids[7]])
  const third = await read(second)
  expect(third.aliases.get('alias-7')?.targetModel).toBe('a/new')
  expect((await read(third)).aliases).toBe(third.aliases)
  await operator.query('DELETE FROM alias WHERE workspace_id = $1', [workspaceId])
  expect((await read(third)).aliases.size).toBe(0)
})

async function storeVersion(workspaceId: string, name: string): Promise<string> {
  const id = randomUUID()
  await operator.query(
    `INSERT INTO model_version (id, workspace_id, name, base_model, produced_by, rewarded, manifest, sha256, bytes, served_as,
       created_by, created_at)
     VALUES ($1, $2, $3, 'a/x', 'import', false, '[]', '', 0, 'a/y', $1, now())`,
    [id, workspaceId, name],
  )
  await countChange(workspaceId)
  return id
}

const countChange = (workspaceId: string) =>
  operator.query(
    `INSERT INTO version_revision AS r VALUES ($1, 1) ON CONFLICT (workspace_id) DO UPDATE SET revision = r.revision + 1`,
    [workspaceId],
  )

it('has only the model versions of the workspace, and reads them again only after a change', async () => {
  const [workspaceId, outsider] = [await newWorkspace(), await newWorkspace()]
  expect((await settings.of(workspaceId)).versions.size).toBe(0)
  const name = `ft:a/x:team:one:${workspaceId}`
  const id = await storeVersion(workspaceId, name)
  await storeVersion(outsider, `ft:a/x:others:one:${outsider}`)
  await eventually(async () => expect([...(await settings.of(workspaceId)).versions.keys()]).toEqual([name]))
  const { versions } = await settings.of(workspaceId)
  expect(versions.get(name)).toEqual({
    id,
    name,
    baseModel: 'a/x',
    servedAs: 'a/y',
    pool: null,
    createdAt: expect.any(Date),
  })
  await operator.query('UPDATE workspace_settings SET response_cache = true WHERE workspace_id = $1', [workspaceId])
  expect((await settings.of(workspaceId)).versions).toBe(versions)
  await operator.query('UPDATE model_version SET archived_at = now() WHERE id = $1', [id])
  await countChange(workspaceId)
  await eventually(async () => expect((await settings.of(workspaceId)).versions.size).toBe(0))
})

it('has a version for the first request that names it, without waiting for a refresh', async () => {
  const workspaceId = await newWorkspace()
  // Nothing refreshes this one.
  const cache = createSettingsCache({
    store: pgSettings(operator),
    openKeys: () => new Map(),
    clockMs: () => performance.now(),
  })
  expect((await cache.of(workspaceId)).versions.size).toBe(0)
  for (const suffix of ['one', 'two', 'three']) {
    const name = `ft:a/x:team:${suffix}:${workspaceId}`
    expect((await cache.of(workspaceId, [name])).versions.has(name)).toBe(false)
    await storeVersion(workspaceId, name)
    expect((await cache.of(workspaceId, [name])).versions.has(name)).toBe(true)
  }
})

it('applies a change without a request for it', async () => {
  const workspaceId = await newWorkspace()
  await settings.of(workspaceId)
  await operator.query('INSERT INTO workspace_settings (workspace_id, logging_enabled) VALUES ($1, true)', [
    workspaceId,
  ])
  const id = await storeKey(workspaceId, 'openai', 'sk-first')
  await eventually(async () => (await settings.of(workspaceId)).providerKeys.get('openai')?.id === id)
  expect(await settings.of(workspaceId)).toMatchObject({ loggingEnabled: true })
  await operator.query('DELETE FROM provider_key WHERE id = $1', [id])
  await eventually(async () => (await settings.of(workspaceId)).providerKeys.size === 0)
})

it('ignores a key whose row was copied to another workspace, and reports it once', async () => {
  const [victim, thief] = [await newWorkspace(), await newWorkspace()]
  await storeKey(victim, 'openai', 'sk-of-the-victim')
  const stolenId = randomUUID()
  await operator.query(
    `INSERT INTO provider_key SELECT $1, $2, provider, ciphertext, nonce, key_id, base_url, display, created_by, created_at, updated_at
     FROM provider_key WHERE workspace_id = $3`,
    [stolenId, thief, victim],
  )
  expect((await settings.of(thief)).providerKeys.size).toBe(0)
  expect((await settings.of(victim)).providerKeys.get('openai')?.apiKey).toBe('sk-of-the-victim')
  expect(unusable).toEqual([{ id: stolenId, workspaceId: thief, reason: 'not_authentic' }])
})

it('returns the last known settings while the database is unavailable, refuses unknown workspaces, and recovers', async () => {
  const [known, unknown] = [await newWorkspace(), await newWorkspace()]
  await operator.query('INSERT INTO workspace_settings (workspace_id, logging_enabled) VALUES ($1, true)', [known])
  await settings.of(known)
  await postgres.refuse()
  await eventually(() => failures.length > 0)
  expect(settings.of(known)).toMatchObject({ loggingEnabled: true })
  await expect(settings.of(unknown)).rejects.toMatchObject({ code: 'service_unavailable' })
  await postgres.restore()
  await eventually(async () => (await Promise.resolve(settings.of(unknown)).catch(() => null)) !== null)
  expect(await settings.of(unknown)).toEqual(defaultSettings)
})

it('waits at most a second for a database that hangs', async () => {
  const known = await newWorkspace()
  await settings.of(known)
  postgres.freeze()
  const startedAt = performance.now()
  await expect(settings.of(await newWorkspace())).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(performance.now() - startedAt).toBeLessThan(2_500)
  expect(settings.of(known)).toEqual(defaultSettings)
})
