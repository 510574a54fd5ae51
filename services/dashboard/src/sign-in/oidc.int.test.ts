import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { readMe } from '@ratchet/contracts/dashboard/account'
import { acceptInvitation, createInvitation } from '@ratchet/contracts/dashboard/members'
import { signInWithPassword, signInWithProvider } from '@ratchet/contracts/dashboard/sign-in'
import { startTestIssuer, type TestIssuer } from '@ratchet/testing/test-issuer'
import { password, startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let issuer: TestIssuer

beforeAll(async () => {
  issuer = await startTestIssuer()
  const env = {
    OIDC_DISCOVERY_URL: `${issuer.url}/.well-known/openid-configuration`,
    OIDC_CLIENT_ID: 'ratchet',
    OIDC_CLIENT_SECRET: 's',
  }
  dashboard = await startTestDashboard({ env: { ...env, OIDC_NAME: 'Example' } })
})
afterAll(async () => {
  await dashboard.stop()
  await issuer.stop()
})

it('offers the provider, and signs in a person without a workspace, who sees the name of none', async () => {
  await dashboard.owner('hidden')
  expect((await dashboard.browser().call(readMe)).sign_in.oidc).toEqual([{ id: 'oidc', name: 'Example' }])
  const browser = dashboard.browser()
  const location = await signInAs(browser, { sub: '1', email: 'new@example.com', email_verified: true, name: 'New' })
  expect(location).toBe('/w')
  expect(await browser.call(readMe)).toMatchObject({
    user: { email: 'new@example.com', operator: false },
    workspaces: [],
  })
  const { rows } = await dashboard.pool.query(
    "SELECT access_token, id_token FROM auth_account WHERE provider_id = 'oidc'",
  )
  expect(rows).toEqual([{ access_token: null, id_token: null }])
})

it('signs in for an existing account when the provider vouches for its address', async () => {
  await dashboard.owner('acme')
  const browser = dashboard.browser()
  await signInAs(browser, { sub: '2', email: 'owner@acme.example', email_verified: true, name: 'Owner' })
  expect(await browser.call(readMe)).toMatchObject({ workspaces: [{ slug: 'acme', role: 'owner' }] })
})

it('ends what somebody else prepared in an account with the address of another person', async () => {
  const hostile = await dashboard.owner('hostile')
  const email = 'chief@victim.example'
  const { link } = await hostile.call(createInvitation, {
    params: { slug: 'hostile' },
    body: { email, role: 'member' },
  })
  const squatter = dashboard.browser()
  await squatter.call(acceptInvitation, { body: { token: link?.split('/').at(-1) ?? '', name: 'X', password } })
  const id = (await squatter.call(readMe)).user?.id
  const ways = async () => {
    const text = `SELECT (SELECT count(*)::int FROM auth_passkey WHERE user_id = $1) AS passkeys,
      (SELECT count(*)::int FROM auth_account WHERE user_id = $1 AND provider_id = 'credential') AS passwords`
    return (await dashboard.pool.query(text, [id])).rows[0]
  }
  await dashboard.pool.query(
    `INSERT INTO auth_passkey (id, user_id, name, public_key, credential_id, counter, device_type, backed_up)
     VALUES (gen_random_uuid(), $1, 'A key', 'x', 'y', 0, 'singleDevice', false)`,
    [id],
  )
  expect(await ways()).toEqual({ passkeys: 1, passwords: 1 })
  const chief = dashboard.browser()
  await signInAs(chief, { sub: 'chief', email, email_verified: true, name: 'Chief' })
  expect((await chief.call(readMe)).user).toMatchObject({ id, email })
  expect((await squatter.call(readMe)).user).toBeNull()
  const again = dashboard.browser().call(signInWithPassword, { body: { email, password } })
  await expect(again).rejects.toMatchObject({ code: 'sign_in_failed' })
  expect(await ways()).toEqual({ passkeys: 0, passwords: 0 })
  // The next sign-in ends nothing.
  await signInAs(dashboard.browser(), { sub: 'chief', email, email_verified: true, name: 'Chief' })
  expect((await chief.call(readMe)).user).toMatchObject({ id })
})

it.each([
  ['an address that the provider does not vouch for', { sub: '3', email_verified: false }, {}],
  ['another nonce', { sub: '4', email_verified: true }, { nonce: 'other' }],
  ['a token for another client', { sub: '5', email_verified: true }, { aud: 'other' }],
  ['a token of another issuer', { sub: '6', email_verified: true }, { iss: 'https://evil.example' }],
])('does not sign in for an existing account with %s', async (_name, claims, other) => {
  const slug = randomBytes(4).toString('hex')
  await dashboard.owner(slug)
  const browser = dashboard.browser()
  await signInAs(browser, { ...claims, email: `owner@${slug}.example`, name: 'X' }, other)
  expect(await browser.call(readMe)).toMatchObject({ user: null })
})

it('refuses the answer of a sign-in that another browser began', async () => {
  const victim = dashboard.browser()
  await victim.call(signInWithProvider, { body: { provider: 'oidc', return_to: '/w' } })
  const { redirect_to } = await dashboard
    .browser()
    .call(signInWithProvider, { body: { provider: 'oidc', return_to: '/w' } })
  issuer.prepare(redirect_to ?? '', { sub: '7', email: 'attacker@example.com', email_verified: true, name: 'A' })
  const state = new URL(redirect_to ?? '').searchParams.get('state')
  await victim.send(`/api/auth/callback/oidc?code=c&state=${state}`)
  expect(await victim.call(readMe)).toMatchObject({ user: null })
})

it.each(['..\\reset-password\\t?callbackURL=/x', '%2e%2e', 'oidc\\..\\oidc?state=s', 'OIDC'])(
  'reaches no other path of the library by %s',
  async (provider) => {
    const sent = request(dashboard.url, { path: `/api/auth/callback/${provider}` }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    expect([answer.statusCode, answer.headers.location]).toEqual([404, undefined])
  },
)

it.each(['https://evil.example/', '//evil.example/', '/\\evil.example'])('does not return to %s', async (return_to) => {
  const begun = dashboard.browser().call(signInWithProvider, { body: { provider: 'oidc', return_to } })
  await expect(begun).rejects.toMatchObject({ status: 400 })
})

async function signInAs(browser: TestBrowser, claims: object, other: object = {}): Promise<string | null> {
  const { redirect_to } = await browser.call(signInWithProvider, { body: { provider: 'oidc', return_to: '/w' } })
  issuer.prepare(redirect_to ?? '', { ...claims, ...other })
  const state = new URL(redirect_to ?? '').searchParams.get('state')
  // The provider's page sends the browser back, so the request comes from another site.
  const headers = { 'sec-fetch-site': 'cross-site', origin: issuer.url }
  const answer = await browser.send(`/api/auth/callback/oidc?code=c&state=${state}`, { headers })
  expect(answer.status).toBe(302)
  return answer.headers.get('location')?.replace(dashboard.origin, '') ?? null
}
