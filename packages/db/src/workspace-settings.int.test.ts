import { randomUUID } from 'node:crypto'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPrisma } from './connect.ts'
import { connectPool, type Pool } from './connect-pool.ts'
import type { PrismaClient } from './generated/client.ts'
import { createUser, createWorkspace, saveApiKey, setRole } from './operator.ts'
import { listProviderKeys, removeProviderKey, saveProviderKey } from './provider-keys.ts'
import { changeKeyRules, changeWorkspaceSettings, initWorkspaceSettings } from './workspace-settings.ts'

let database: FreshDatabase
let db: PrismaClient
let inference: Pool
let alias: Pool

beforeAll(async () => {
  database = await freshDatabase()
  db = connectPrisma({ databaseUrl: database.url, max: 1 })
  inference = connectPool({ databaseUrl: database.url, max: 1, role: 'ratchet_inference' })
  alias = connectPool({ databaseUrl: database.url, max: 1, role: 'ratchet_alias' })
})
afterAll(async () => {
  await Promise.all([db.$disconnect(), inference.end(), alias.end()])
  await database.drop()
})

const at = new Date('2026-11-21T12:00:00.000Z')
const defaults = {
  loggingEnabled: false,
  retentionDays: 30,
  logResponses: false,
  responseCache: false,
  fallbackModels: [],
  evidencePolicy: 'off',
  requestsPerMinute: null,
  tokensPerMinute: null,
  maxStorageGb: null,
  guardedCallsPerMinute: null,
}

async function newWorkspace(): Promise<string> {
  const id = randomUUID()
  await createWorkspace(db, { id, slug: id, name: 'W', at })
  return id
}

async function newApiKey(workspaceId: string): Promise<string> {
  const user = await createUser(db, { id: randomUUID(), email: `${randomUUID()}@example.com`, name: 'U', at })
  await setRole(db, { workspaceId, userId: user.id, role: 'owner', at })
  const id = randomUUID()
  const hash = new Uint8Array(Buffer.from(id))
  await saveApiKey(db, { id, workspaceId, userId: user.id, name: 'k', hash, display: 'sk_svc_12345', at })
  return id
}

/** The settings of a workspace that inference reads. */
async function seen(workspaceId: string): Promise<unknown> {
  const { rows } = await inference.query('SELECT * FROM workspace_inference_settings WHERE workspace_id = $1', [
    workspaceId,
  ])
  return rows[0]
}

it('changes the given settings only', async () => {
  const workspaceId = await newWorkspace()
  const first = await changeWorkspaceSettings(db, { workspaceId, changes: { loggingEnabled: true, retentionDays: 7 } })
  expect(first).toEqual({ ...defaults, loggingEnabled: true, retentionDays: 7 })
  const limits = { requestsPerMinute: 10, tokensPerMinute: 1_000, fallbackModels: ['a/x', 'b/y'] }
  expect(await changeWorkspaceSettings(db, { workspaceId, changes: limits })).toEqual({ ...first, ...limits })
  const none = { requestsPerMinute: null, fallbackModels: [] }
  expect(await changeWorkspaceSettings(db, { workspaceId, changes: none })).toEqual({ ...first, ...limits, ...none })
})

it('sets initial settings once and never overwrites changed ones', async () => {
  const workspaceId = await newWorkspace()
  await initWorkspaceSettings(db, { workspaceId, settings: { loggingEnabled: true } })
  await changeWorkspaceSettings(db, { workspaceId, changes: { loggingEnabled: false, retentionDays: 90 } })
  await initWorkspaceSettings(db, { workspaceId, settings: { loggingEnabled: true } })
  expect(await changeWorkspaceSettings(db, { workspaceId, changes: {} })).toEqual({ ...defaults, retentionDays: 90 })
})

it.each([
  { retentionDays: 31 },
  { requestsPerMinute: 0 },
  { tokensPerMinute: -1 },
  { fallbackModels: Array.from({ length: 9 }, (_, i) => `m/${i}`) },
])('the database itself refuses %j', async (changes) => {
  const workspaceId = await newWorkspace()
  await expect(changeWorkspaceSettings(db, { workspaceId, changes })).rejects.toThrow()
})

it('shows inference the defaults of a workspace without settings', async () => {
  const workspaceId = await newWorkspace()
  expect(await seen(workspaceId)).toEqual({
    workspace_id: workspaceId,
    budgets: [],
    key_models: {},
    logging_enabled: false,
    response_cache: false,
    fallback_models: [],
    requests_per_minute: null,
    tokens_per_minute: null,
    key_limits: {},
    retention_days: 30,
    log_responses: false,
  })
})

it('shows alias the evidence policy, also of a workspace without settings', async () => {
  const workspaceId = await newWorkspace()
  const policy = async () => {
    const text = 'SELECT evidence_policy FROM workspace_alias_settings WHERE workspace_id = $1'
    return (await alias.query(text, [workspaceId])).rows
  }
  expect(await policy()).toEqual([{ evidence_policy: 'off' }])
  await changeWorkspaceSettings(db, { workspaceId, changes: { loggingEnabled: true } })
  expect(await policy()).toEqual([{ evidence_policy: 'off' }])
  await changeWorkspaceSettings(db, { workspaceId, changes: { evidencePolicy: 'enforce' } })
  expect(await policy()).toEqual([{ evidence_policy: 'enforce' }])
})

it('shows inference only the limits of keys, and only of valid keys with limits', async () => {
  const workspaceId = await newWorkspace()
  const [limited, revoked, free] = [
    await newApiKey(workspaceId),
    await newApiKey(workspaceId),
    await newApiKey(workspaceId),
  ]
  expect(await changeKeyRules(db, { id: limited, changes: { requestsPerMinute: 5 } })).toEqual({
    display: 'sk_svc_12345',
    requestsPerMinute: 5,
    tokensPerMinute: null,
    expiresAt: null,
    allowedModels: [],
  })
  await changeKeyRules(db, { id: revoked, changes: { tokensPerMinute: 5 } })
  await db.apiKey.update({ where: { id: revoked }, data: { revokedAt: at } })
  await changeKeyRules(db, { id: free, changes: { tokensPerMinute: 7 } })
  await changeKeyRules(db, { id: free, changes: { tokensPerMinute: null } })
  expect(await seen(workspaceId)).toMatchObject({
    key_limits: { [limited]: { requests_per_minute: 5, tokens_per_minute: null } },
  })
  expect(await changeKeyRules(db, { id: randomUUID(), changes: {} })).toBeNull()
})

it('stores one key for a provider, shows no part of its secret, and deletes it', async () => {
  const workspaceId = await newWorkspace()
  const sealed = { ciphertext: new Uint8Array(40), nonce: new Uint8Array(12), keyId: 'k1', createdBy: null }
  const first = { ...sealed, id: randomUUID(), workspaceId, provider: 'openai', baseUrl: null, display: '1234', at }
  const later = new Date('2026-11-22T12:00:00.000Z')
  await saveProviderKey(db, first)
  const id = randomUUID()
  await saveProviderKey(db, { ...first, id, baseUrl: 'https://eu.example.com', display: '5678', at: later })
  const shown = { id, provider: 'openai', display: '5678', baseUrl: 'https://eu.example.com' }
  expect(await listProviderKeys(db, workspaceId)).toEqual([{ ...shown, createdAt: at, updatedAt: later }])
  expect(await listProviderKeys(db, await newWorkspace())).toEqual([])
  const place = { workspaceId, provider: 'openai' }
  expect([await removeProviderKey(db, place), await removeProviderKey(db, place)]).toEqual([true, false])
})

it('deletes settings and provider keys with their workspace', async () => {
  const workspaceId = await newWorkspace()
  await changeWorkspaceSettings(db, { workspaceId, changes: {} })
  const sealed = { ciphertext: new Uint8Array(40), nonce: new Uint8Array(12), keyId: 'k1', createdBy: null }
  const id = randomUUID()
  await saveProviderKey(db, { ...sealed, id, workspaceId, provider: 'x', baseUrl: null, display: '1234', at })
  await db.workspace.delete({ where: { id: workspaceId } })
  expect([
    await db.workspaceSettings.count({ where: { workspaceId } }),
    await db.providerKey.count({ where: { id } }),
  ]).toEqual([0, 0])
})
