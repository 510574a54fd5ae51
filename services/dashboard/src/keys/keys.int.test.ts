import { readMe } from '@ratchet/contracts/dashboard/account'
import { listAudit } from '@ratchet/contracts/dashboard/audit'
import { changeApiKey, createApiKey, listApiKeys, revokeApiKey } from '@ratchet/contracts/dashboard/keys'
import { listProviderKeys, removeProviderKey, saveProviderKey } from '@ratchet/contracts/dashboard/provider-keys'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser
let member: TestBrowser
const params = { slug: 'acme' }

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
  member = await dashboard.member(owner, 'acme', { role: 'member' })
})
afterAll(() => dashboard.stop())

const create = (browser: TestBrowser, name: string) => browser.call(createApiKey, { params, body: { name } })
const identityOf = async (key: string) =>
  (await dashboard.pool.query('SELECT role FROM api_key_identity WHERE hash = $1', [Buffer.from(hashApiKey(key))]))
    .rows[0]

it('has the value of a key in one answer, and nowhere else', async () => {
  const { key, id, display } = await create(owner, 'production')
  expect(key).toMatch(/^sk_svc_[0-9A-Za-z]{38}$/)
  expect(key.startsWith(display)).toBe(true)
  expect(await identityOf(key)).toEqual({ role: 'owner' })
  const listed = await owner.call(listApiKeys, { params })
  const audited = await owner.call(listAudit, { params })
  expect(audited.data[0]).toMatchObject({ action: 'key.created', subject: id, after: { name: 'production' } })
  const dump = await dashboard.pool.query(
    'SELECT a::text AS row FROM audit_event a UNION SELECT k::text FROM api_key k',
  )
  const everything = JSON.stringify([listed, audited, dump.rows, dashboard.logLines])
  expect(everything).not.toContain(key)
  expect(everything).not.toContain(key.slice(display.length))
})

it('revokes a key, and every edge has applied it when the answer comes', async () => {
  const { key, id } = await create(owner, 'old')
  const revoked = await owner.call(revokeApiKey, { params: { ...params, id } })
  expect(revoked.revoked_at).not.toBeNull()
  expect(await identityOf(key)).toBeUndefined()
  await owner.call(revokeApiKey, { params: { ...params, id } })
  const { data } = await owner.call(listAudit, { params, query: { action: 'key.revoked' } })
  expect(data).toHaveLength(1)
})

it('lets members see, change and revoke their own keys only', async () => {
  const own = await create(member, 'mine')
  const { id } = await create(owner, 'the owner’s')
  expect((await member.call(listApiKeys, { params })).data.map(({ name }) => name)).toEqual(['mine'])
  const path = { ...params, id }
  await expect(member.call(revokeApiKey, { params: path })).rejects.toMatchObject({ status: 404 })
  await expect(member.call(changeApiKey, { params: path, body: { name: 'x' } })).rejects.toMatchObject({ status: 404 })
  const limits = { requests_per_minute: 1_000 }
  const changed = member.call(changeApiKey, { params: { ...params, id: own.id }, body: limits })
  await expect(changed).rejects.toMatchObject({ status: 403 })
  const renamed = await member.call(changeApiKey, { params: { ...params, id: own.id }, body: { name: 'renamed' } })
  expect(renamed).toMatchObject({ name: 'renamed', created_by: { id: (await member.call(readMe)).user?.id } })
})

it('lets owners change and revoke all keys of their workspace, and none of another', async () => {
  const { id } = await create(member, 'shared')
  const limited = await owner.call(changeApiKey, { params: { ...params, id }, body: { requests_per_minute: 60 } })
  expect(limited).toMatchObject({ requests_per_minute: 60, tokens_per_minute: null })
  const outsider = await dashboard.owner('other')
  const foreign = outsider.call(revokeApiKey, { params: { slug: 'other', id } })
  await expect(foreign).rejects.toMatchObject({ status: 404 })
  await owner.call(revokeApiKey, { params: { ...params, id } })
})

it('expires a key at the time that owners set, and lets it call the models that they name', async () => {
  const body = { name: 'short', expires_at: '2100-01-01T00:00:00.000Z', allowed_models: ['openai/*', 'support'] }
  const { key, id } = await owner.call(createApiKey, { params, body })
  expect((await owner.call(listApiKeys, { params })).data.find((each) => each.id === id)).toMatchObject(body)
  expect(await identityOf(key)).toEqual({ role: 'owner' })
  const past = { expires_at: '2026-01-01T00:00:00.000Z', allowed_models: [] }
  expect(await owner.call(changeApiKey, { params: { ...params, id }, body: past })).toMatchObject(past)
  expect(await identityOf(key)).toBeUndefined()
  const { data } = await owner.call(listAudit, { params, query: { action: 'key.changed', subject: id } })
  expect(data[0]).toMatchObject({ before: { expiresAt: body.expires_at }, after: { allowedModels: [] } })
  const own = await create(member, 'of a member')
  const asked = member.call(changeApiKey, { params: { ...params, id: own.id }, body: { allowed_models: [] } })
  await expect(asked).rejects.toMatchObject({ status: 403 })
})

describe('very many keys', () => {
  const slug = { slug: 'many' }
  const createMany = (browser: TestBrowser, count: number) =>
    Promise.allSettled(
      Array.from({ length: count }, () => browser.call(createApiKey, { params: slug, body: { name: 'k' } })),
    )
  let person: TestBrowser
  let other: TestBrowser
  beforeAll(async () => {
    person = await dashboard.owner('many')
    other = await dashboard.member(person, 'many', { role: 'member' })
    await dashboard.pool.query(
      `INSERT INTO api_key (id, workspace_id, user_id, name, hash, display, created_at)
       SELECT gen_random_uuid(), m.workspace_id, m.user_id, 'old', sha256(gen_random_uuid()::text::bytea), 'sk', now() - interval '2 days'
       FROM membership m JOIN workspace w ON w.id = m.workspace_id, generate_series(1, 95) WHERE w.slug = 'many' AND m.role = 'member'`,
    )
  })

  it('are refused, also when they are created at the same time', async () => {
    const outcomes = await createMany(other, 12)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    const refused = outcomes.find(({ status }) => status === 'rejected')
    expect(refused).toMatchObject({ reason: { status: 403, code: 'quota_exceeded' } })
    expect((await other.call(listApiKeys, { params: slug })).data).toHaveLength(100)
    // Others of the workspace have their own.
    expect((await createMany(person, 1))[0]).toMatchObject({ status: 'fulfilled' })
  })

  it('are refused when they are created and revoked again and again', async () => {
    await dashboard.pool.query(
      `WITH member AS (
         SELECT m.workspace_id, m.user_id FROM membership m JOIN workspace w ON w.id = m.workspace_id
         WHERE w.slug = 'many' AND m.role = 'member'
       ), revoked AS (
         UPDATE api_key k SET revoked_at = now(), created_at = now() - interval '1 hour' FROM member m
         WHERE m.workspace_id = k.workspace_id AND m.user_id = k.user_id
       )
       INSERT INTO api_key (id, workspace_id, user_id, name, hash, display, created_at, revoked_at)
       SELECT gen_random_uuid(), m.workspace_id, m.user_id, 'old', sha256(gen_random_uuid()::text::bytea), 'sk', now(), now()
       FROM member m, generate_series(1, 99)`,
    )
    const outcomes = await createMany(other, 3)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('a provider key', () => {
  const secret = 'provider-secret-0123456789'
  const path = { ...params, provider: 'openai' }

  it('is stored as inference decrypts it, and never read back', async () => {
    const saved = await owner.call(saveProviderKey, { params: path, body: { key: secret } })
    expect(saved).toMatchObject({ provider: 'openai', display: '6789', base_url: null })
    const { rows } = await dashboard.pool.query('SELECT workspace_id, ciphertext, nonce, key_id FROM provider_key')
    const [row] = rows
    const box = createSecretBox({ keys: [dashboard.encryptionKey], randomBytes: () => new Uint8Array() })
    const place = providerKeyPlace({ workspaceId: row.workspace_id, provider: 'openai' })
    const sealed = { keyId: row.key_id, nonce: new Uint8Array(row.nonce), ciphertext: new Uint8Array(row.ciphertext) }
    expect(box.open(sealed, place)).toBe(secret)
    const listed = await member.call(listProviderKeys, { params })
    const audited = await owner.call(listAudit, { params, query: { action: 'provider_key.saved' } })
    expect(audited.data).toHaveLength(1)
    expect(JSON.stringify([saved, listed, audited, dashboard.logLines])).not.toContain(secret)
  })

  it.each([
    'http://openai.example',
    'https://127.0.0.1',
    'https://metadata.internal',
    'https://user:pass@openai.example',
  ])('may not be sent to %s', async (base_url) => {
    const saved = owner.call(saveProviderKey, { params: path, body: { key: secret, base_url } })
    await expect(saved).rejects.toMatchObject({ status: 400, code: 'invalid_request' })
  })

  it('may not be a key of this service', async () => {
    const { key } = await create(owner, 'mistake')
    const saved = owner.call(saveProviderKey, { params: path, body: { key } })
    await expect(saved).rejects.toMatchObject({ status: 400 })
  })

  it('is removed once', async () => {
    await owner.call(removeProviderKey, { params: path })
    await expect(owner.call(removeProviderKey, { params: path })).rejects.toMatchObject({ status: 404 })
  })
})
