import { createInvitation } from '@ratchet/contracts/dashboard/members'
import { saveProviderKey } from '@ratchet/contracts/dashboard/provider-keys'
import { connectPrisma } from '@ratchet/db/connect'
import { createResetLink } from '@ratchet/db/one-time-links'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { password, startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser
/** Every secret of people and workspaces that the dashboard was given or made, by what it opens. */
const secrets = new Map<string, string>()

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
  secrets.set('a password', password)
  const params = { slug: 'acme' }
  const { link } = await owner.call(createInvitation, { params, body: { email: 'new@acme.example', role: 'member' } })
  secrets.set('an invitation', link?.split('/').at(-1) ?? '')
  secrets.set('a link to set up', await dashboard.setUpToken())
  const { rows } = await dashboard.pool.query<{ id: string }>('SELECT id FROM app_user')
  const at = new Date()
  const reset = { id: uuidV7(at.getTime()), token: 'r'.repeat(43), at, origin: dashboard.origin }
  const db = connectPrisma({ databaseUrl: dashboard.databaseUrl, max: 1 })
  await createResetLink(db, { ...reset, userId: rows[0]?.id ?? '' }).finally(() => db.$disconnect())
  secrets.set('a link to reset a password', reset.token)
  const key = `sk-provider-${'k'.repeat(30)}`
  await owner.call(saveProviderKey, { params: { slug: 'acme', provider: 'openai' }, body: { key } })
  secrets.set('a key of a provider', key)
  // All of a cookie opens a session, its part in the row does not.
  secrets.set('a cookie', decodeURIComponent(sessionCookie().slice(cookieName.length + 1)))
}, 60_000)
afterAll(() => dashboard.stop())

const cookieName = 'ratchet_session'

function sessionCookie(): string {
  const found = owner.cookie.split('; ').find((each) => each.startsWith(`${cookieName}=`))
  if (found === undefined) throw new Error('the owner has no session')
  return found
}

/** The tables of which a row has this text, also as bytes. */
async function tablesWith(text: string): Promise<readonly string[]> {
  const { rows: tables } = await dashboard.pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rowCount } = await dashboard.pool.query(
      `SELECT FROM "${name}" t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, encode($1::text::bytea, 'hex')) > 0 LIMIT 1`,
      [text],
    )
    if ((rowCount ?? 0) > 0) found.push(name)
  }
  return found
}

it('finds what is stored, which shows that the search works', async () => {
  expect(await tablesWith('owner@acme.example')).toContain('app_user')
})

it('stores no secret of a person or workspace in a row of any table', async () => {
  expect(secrets.size).toBe(6)
  for (const [what, secret] of secrets) {
    expect(secret.length).toBeGreaterThanOrEqual(20)
    expect([what, await tablesWith(secret)]).toEqual([what, []])
  }
})

it('keeps of a session a token that opens nothing without its signature', async () => {
  const { rows } = await dashboard.pool.query<{ token: string }>('SELECT token FROM auth_session')
  expect(rows.length).toBeGreaterThan(0)
  for (const { token } of rows) {
    for (const value of [token, `${token}.`, `${token}.${token}`]) {
      const cookie = `${cookieName}=${encodeURIComponent(value)}`
      const answer = await fetch(`${dashboard.url}/api/me`, { headers: { cookie } })
      expect(await answer.json()).toMatchObject({ user: null })
    }
  }
  const real = await fetch(`${dashboard.url}/api/me`, { headers: { cookie: sessionCookie() } })
  expect(await real.json()).toMatchObject({ user: { email: 'owner@acme.example' } })
})
