import { readMe } from '@ratchet/contracts/dashboard/account'
import type { DashboardEndpoint } from '@ratchet/contracts/dashboard/dashboard-endpoint'
import { dashboardEndpoints } from '@ratchet/contracts/dashboard/dashboard-endpoints'
import { createInvitation, listMembers, removeMember } from '@ratchet/contracts/dashboard/members'
import { operationName } from '@ratchet/contracts/endpoint'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

/* Who gets in, for every endpoint of the list. Each attempt must be refused, and nothing may change. */

let dashboard: TestDashboard
let owner: TestBrowser
let outsider: TestBrowser
let member: TestBrowser
let staleOwner: TestBrowser
const id = uuidV7(Date.now())

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
  outsider = await dashboard.owner('other')
  member = await dashboard.member(owner, 'acme', { role: 'member' })
  staleOwner = await dashboard.member(owner, 'acme', { role: 'owner' })
  const { user } = await staleOwner.call(readMe)
  await dashboard.pool.query("UPDATE auth_session SET created_at = now() - interval '16 minutes' WHERE user_id = $1", [
    user?.id,
  ])
  await dashboard.pool.query("UPDATE app_user SET operator = false WHERE email = 'owner@other.example'")
})
afterAll(() => dashboard.stop())

const pathOf = ({ path }: DashboardEndpoint) =>
  path
    .replace(':slug', 'acme')
    .replace(/:(id|user_id)/, id)
    .replace(':provider', 'openai')

async function attempt(browser: TestBrowser, endpoint: DashboardEndpoint, headers: Record<string, string> = {}) {
  const method = endpoint.method.toUpperCase()
  const body = method === 'GET' ? {} : { body: '{}' }
  const type: Record<string, string> = method === 'GET' ? {} : { 'content-type': 'application/json' }
  const before = await snapshot()
  const answer = await browser.send(pathOf(endpoint), { method, headers: { ...type, ...headers }, ...body })
  expect(await snapshot()).toEqual(before)
  const text = await answer.text()
  const { error } = text.startsWith('{') ? JSON.parse(text) : { error: {} }
  return { status: answer.status, code: error?.code }
}

async function snapshot() {
  const tables = [
    'app_user',
    'workspace',
    'membership',
    'api_key',
    'invitation',
    'audit_event',
    'provider_key',
    'auth_session',
  ]
  const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`)
  return (await dashboard.pool.query(`SELECT ${counts.join(', ')}`)).rows[0]
}

const named = dashboardEndpoints.map((endpoint) => [operationName(endpoint), endpoint] as const)
const unsafe = named.filter(([, { method }]) => method !== 'get')
const closed = named.filter(([, { permission }]) => permission !== 'anyone')
const ofWorkspace = named.filter(([, { path }]) => path.startsWith('/api/w/:slug/'))
const fresh = named.filter(([, { needsFreshSignIn }]) => needsFreshSignIn)

it.each(closed)('%s needs a session', async (_name, endpoint) => {
  expect(await attempt(dashboard.browser(), endpoint)).toEqual({ status: 401, code: 'not_signed_in' })
})

it.each(unsafe)('%s is refused for a page of another site', async (_name, endpoint) => {
  const refused = { status: 403, code: 'insufficient_permissions' }
  expect(await attempt(owner, endpoint, { origin: 'https://evil.example' })).toEqual(refused)
  expect(await attempt(owner, endpoint, { 'sec-fetch-site': 'cross-site' })).toEqual(refused)
  expect(await attempt(owner, endpoint, { 'sec-fetch-site': 'same-site' })).toEqual(refused)
  expect(await attempt(owner, endpoint, { origin: 'null' })).toEqual(refused)
})

it.each(unsafe)('%s refuses a body that a form can send', async (_name, endpoint) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const refused = { status: 415, code: 'unsupported_media_type' }
    expect(await attempt(owner, endpoint, { 'content-type': type })).toEqual(refused)
  }
})

it.each(ofWorkspace)('%s does not exist for people of another workspace', async (_name, endpoint) => {
  expect(await attempt(outsider, endpoint)).toEqual({ status: 404, code: 'not_found' })
})

it.each(named.filter(([, { permission }]) => permission === 'owner' || permission === 'owner_admin'))(
  '%s is refused to a member',
  async (_name, endpoint) => {
    expect(await attempt(member, endpoint)).toEqual({ status: 403, code: 'insufficient_permissions' })
  },
)

it.each(named.filter(([, { permission }]) => permission === 'operator'))(
  '%s is refused to those who are no operators',
  async (_name, endpoint) => {
    expect(await attempt(outsider, endpoint)).toEqual({ status: 403, code: 'insufficient_permissions' })
  },
)

it.each(fresh.filter(([, { permission }]) => permission !== 'operator'))(
  '%s needs a sign-in of the last 15 minutes',
  async (_name, endpoint) => {
    expect(await attempt(staleOwner, endpoint)).toEqual({ status: 403, code: 'fresh_sign_in_required' })
  },
)

it('refuses a key where it expects a session', async () => {
  const answer = await fetch(`${dashboard.url}/api/w/acme/settings`, {
    headers: { authorization: 'Bearer sk_svc_key' },
  })
  expect(answer.status).toBe(401)
})

it('refuses the session of a removed member for the next request', async () => {
  const leaving = await dashboard.member(owner, 'acme', { role: 'admin' })
  const { user } = await leaving.call(readMe)
  await leaving.call(listMembers, { params: { slug: 'acme' } })
  await owner.call(removeMember, { params: { slug: 'acme', user_id: user?.id ?? '' } })
  const refused = leaving.call(listMembers, { params: { slug: 'acme' } })
  await expect(refused).rejects.toMatchObject({ status: 404, code: 'not_found' })
  expect(await leaving.call(readMe)).toMatchObject({ workspaces: [] })
})

it('does not say whether a workspace exists', async () => {
  const answers = ['acme', 'nothing'].map(async (slug) => (await outsider.send(`/api/w/${slug}/settings`)).text())
  const [existing, missing] = (await Promise.all(answers)).map((text) => text.replace(/"request_id":"[^"]*"/, ''))
  expect(existing).toBe(missing)
})

it('never takes an error of the database for a missing session or workspace', async () => {
  await dashboard.pool.query('ALTER TABLE auth_session RENAME TO auth_session_away')
  const { status } = await owner.send('/api/w/acme/settings')
  await dashboard.pool.query('ALTER TABLE auth_session_away RENAME TO auth_session')
  expect(status).toBeGreaterThanOrEqual(500)
})

it('accepts a request of its own page without the header that says so, by its origin', async () => {
  const body = { email: 'new@acme.example', role: 'member' as const }
  await expect(owner.call(createInvitation, { params: { slug: 'acme' }, body })).resolves.toMatchObject({
    email: body.email,
  })
})
