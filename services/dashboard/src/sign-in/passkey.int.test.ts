import { randomBytes } from 'node:crypto'
import { readMe } from '@ratchet/contracts/dashboard/account'
import { listAudit } from '@ratchet/contracts/dashboard/audit'
import {
  addPasskey,
  listPasskeys,
  readPasskeyOptions,
  readPasskeySignInOptions,
  removePasskey,
  signInWithPasskey,
} from '@ratchet/contracts/dashboard/sign-in'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'
import { createAuthenticator } from './authenticator.fixture.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await startTestDashboard()
})
afterAll(() => dashboard.stop())

it('is added by a person, signs in without a password, and is removed', async () => {
  const owner = await dashboard.owner('acme')
  const authenticator = createAuthenticator(dashboard.origin)
  const options = await owner.call(readPasskeyOptions)
  const response = authenticator.register(String(options.challenge))
  await owner.call(addPasskey, { body: { response, name: 'laptop' } })
  const guest = dashboard.browser()
  await signInBy(authenticator, guest)
  expect(await guest.call(readMe)).toMatchObject({ user: { email: 'owner@acme.example' } })
  const { data } = await guest.call(listPasskeys)
  expect(data).toMatchObject([{ name: 'laptop' }])
  await guest.call(removePasskey, { params: { id: data[0]?.id ?? '' } })
  await expect(signInBy(authenticator, dashboard.browser())).rejects.toMatchObject({ code: 'sign_in_failed' })
  // Owners read who changed how they sign in.
  const audit = await owner.call(listAudit, { params: { slug: 'acme' } })
  const { user } = await owner.call(readMe)
  expect(audit.data.slice(0, 2)).toMatchObject([
    { action: 'user.passkey_removed', actor: { id: user?.id }, subject: user?.id },
    { action: 'user.passkey_added', actor: { id: user?.id }, subject: user?.id },
  ])
})

it.each([
  ['another site', 'https://evil.example', {}],
  ['another challenge', 'http://localhost:3000', { challenge: randomBytes(32).toString('base64url') }],
])('does not sign in with an answer for %s', async (_name, origin, other) => {
  const slug = randomBytes(4).toString('hex')
  const owner = await dashboard.owner(slug)
  const honest = createAuthenticator(dashboard.origin)
  await owner.call(addPasskey, {
    body: { response: honest.register(String((await owner.call(readPasskeyOptions)).challenge)) },
  })
  const guest = dashboard.browser()
  const { challenge } = { ...(await guest.call(readPasskeySignInOptions)), ...other }
  const response = honest.signIn(String(challenge), origin)
  await expect(guest.call(signInWithPasskey, { body: { response } })).rejects.toMatchObject({ code: 'sign_in_failed' })
  expect(await guest.call(readMe)).toMatchObject({ user: null })
})

it('cannot be removed by another person', async () => {
  const owner = await dashboard.owner('theirs')
  const authenticator = createAuthenticator(dashboard.origin)
  const { challenge } = await owner.call(readPasskeyOptions)
  await owner.call(addPasskey, { body: { response: authenticator.register(String(challenge)) } })
  const id = (await owner.call(listPasskeys)).data[0]?.id ?? ''
  const outsider = await dashboard.owner('mine')
  await expect(outsider.call(removePasskey, { params: { id } })).rejects.toMatchObject({ status: 404 })
})

async function signInBy(authenticator: ReturnType<typeof createAuthenticator>, browser: TestBrowser): Promise<void> {
  const { challenge } = await browser.call(readPasskeySignInOptions)
  await browser.call(signInWithPasskey, { body: { response: authenticator.signIn(String(challenge)) } })
}
