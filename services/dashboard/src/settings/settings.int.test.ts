import { createWorkspace, readMe, readPreferences, writePreferences } from '@ratchet/contracts/dashboard/account'
import { listAudit } from '@ratchet/contracts/dashboard/audit'
import { changeSettings, readSettings } from '@ratchet/contracts/dashboard/settings'
import { listViews, writeViews } from '@ratchet/contracts/dashboard/views'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser
const params = { slug: 'acme' }

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
})
afterAll(() => dashboard.stop())

it('begins with the defaults, and changes only what is given', async () => {
  const defaults = await owner.call(readSettings, { params })
  expect(defaults).toMatchObject({
    logging: { enabled: false, retention_days: 30, responses: false },
    evidence_policy: 'off',
  })
  await owner.call(changeSettings, { params, body: { logging: { enabled: true } } })
  const changed = await owner.call(changeSettings, { params, body: { limits: { requests_per_minute: 100 } } })
  expect(changed).toMatchObject({
    logging: { enabled: true, retention_days: 30 },
    limits: { requests_per_minute: 100, tokens_per_minute: null },
  })
  await owner.call(changeSettings, { params, body: { logging: { responses: true } } })
  const view = 'SELECT logging_enabled, log_responses, requests_per_minute FROM workspace_inference_settings'
  const row = { logging_enabled: true, log_responses: true, requests_per_minute: 100 }
  expect((await dashboard.pool.query(view)).rows).toEqual([row])
})

it('writes both values of what changed to the audit, and nothing when nothing changed', async () => {
  await owner.call(changeSettings, { params, body: { response_cache: true } })
  await owner.call(changeSettings, { params, body: { response_cache: true } })
  const { data } = await owner.call(listAudit, { params, query: { action: 'settings.changed' } })
  expect(data[0]).toMatchObject({ before: { response_cache: false }, after: { response_cache: true } })
  expect(data.filter(({ after }) => after !== null && 'response_cache' in after)).toHaveLength(1)
})

it('refuses another retention and unknown fields', async () => {
  const body = { logging: { retention_days: 31 as never } }
  await expect(owner.call(changeSettings, { params, body })).rejects.toMatchObject({ status: 400 })
  const unknown = owner.call(changeSettings, { params, body: { ledger: 'mine' } as never })
  await expect(unknown).rejects.toMatchObject({ status: 400, code: 'unknown_parameter' })
})

it('lets admins change settings, and only owners the name', async () => {
  const admin = await dashboard.member(owner, 'acme', { role: 'admin' })
  await admin.call(changeSettings, { params, body: { fallback_models: ['a/b'] } })
  await expect(admin.call(changeSettings, { params, body: { name: 'Mine' } })).rejects.toMatchObject({ status: 403 })
  expect(await owner.call(changeSettings, { params, body: { name: 'Acme' } })).toMatchObject({ name: 'Acme' })
})

it('lets admins switch the evidence policy on, and only owners switch it off', async () => {
  const admin = await dashboard.member(owner, 'acme', { role: 'admin' })
  const set = (who: TestBrowser, policy: 'off' | 'enforce') =>
    who.call(changeSettings, { params, body: { evidence_policy: policy } })
  expect(await set(admin, 'off')).toMatchObject({ evidence_policy: 'off' })
  await set(admin, 'enforce')
  await expect(set(admin, 'off')).rejects.toMatchObject({ status: 403, code: 'insufficient_permissions' })
  await admin.call(changeSettings, { params, body: { evidence_policy: 'enforce', response_cache: false } })
  expect(await set(owner, 'off')).toMatchObject({ evidence_policy: 'off' })
})

it('switches the evidence policy off only after a fresh sign-in', async () => {
  const stale = await dashboard.member(owner, 'acme', { role: 'owner' })
  const { user } = await stale.call(readMe)
  const aged = "UPDATE auth_session SET created_at = now() - interval '16 minutes' WHERE user_id = $1"
  await dashboard.pool.query(aged, [user?.id])
  await stale.call(changeSettings, { params, body: { evidence_policy: 'off' } })
  await stale.call(changeSettings, { params, body: { evidence_policy: 'enforce' } })
  const off = stale.call(changeSettings, { params, body: { evidence_policy: 'off' } })
  await expect(off).rejects.toMatchObject({ status: 403, code: 'fresh_sign_in_required' })
  expect(await owner.call(readSettings, { params })).toMatchObject({ evidence_policy: 'enforce' })
  await owner.call(changeSettings, { params, body: { evidence_policy: 'off' } })
})

it('never rewrites the audit, not even by the operator', async () => {
  await expect(dashboard.pool.query("UPDATE audit_event SET subject = 'x'")).rejects.toMatchObject({ code: '23000' })
  await expect(dashboard.pool.query('DELETE FROM audit_event')).rejects.toMatchObject({ code: '23000' })
})

it('saves views per member, and preferences per person', async () => {
  const member = await dashboard.member(owner, 'acme', { role: 'member' })
  const data = [{ page: 'logs', name: 'Slow', search: { min_latency_ms: 1_000 } }]
  await member.call(writeViews, { params, body: { data } })
  expect((await member.call(listViews, { params })).data).toEqual(data)
  expect((await owner.call(listViews, { params })).data).toEqual([])
  expect(await member.call(readPreferences)).toEqual({ theme: 'auto', single_keys: true, shortcuts: {} })
  await member.call(writePreferences, { body: { theme: 'dark', single_keys: false, shortcuts: { 'go.logs': 'g x' } } })
  expect(await member.call(readPreferences)).toMatchObject({ theme: 'dark', single_keys: false })
  expect(await owner.call(readPreferences)).toMatchObject({ theme: 'auto' })
})

it('lets an operator create another workspace', async () => {
  await owner.call(createWorkspace, { body: { slug: 'second', name: 'Second' } })
  expect(await owner.call(readSettings, { params: { slug: 'second' } })).toMatchObject({ name: 'Second' })
  const taken = owner.call(createWorkspace, { body: { slug: 'second', name: 'Third' } })
  await expect(taken).rejects.toMatchObject({ status: 409 })
})
