import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
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

/** What a browser and its authenticator answer (WebAuthn, level 3), with an ES256 key and no attestation. */
function createAuthenticator(origin: string) {
  const id = randomBytes(16)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const host = createHash('sha256').update(new URL(origin).hostname).digest()
  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const flags = { present: 0x01, verified: 0x04, withKey: 0x40 }
  const data = (bits: number, rest: Buffer = Buffer.alloc(0)) =>
    Buffer.concat([host, Buffer.from([bits]), Buffer.from([0, 0, 0, 0]), rest])
  const common = {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
  }
  return {
    register(challenge: string) {
      // The key in COSE: {1: 2 (EC), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}.
      const [px, py] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
      const key = [Buffer.from('a5010203262001215820', 'hex'), px, Buffer.from('225820', 'hex'), py]
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, ...key])
      const authData = data(flags.present | flags.verified | flags.withKey, credential)
      // {"fmt": "none", "attStmt": {}, "authData": bytes}
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex')
      const attestationObject = Buffer.concat([head, Buffer.from([authData.length]), authData]).toString('base64url')
      const clientDataJSON = clientData('webauthn.create', challenge, origin).toString('base64url')
      return { ...common, response: { clientDataJSON, attestationObject, transports: ['internal'] } }
    },
    signIn(challenge: string, from = origin) {
      const client = clientData('webauthn.get', challenge, from)
      const authData = data(flags.present | flags.verified)
      const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
      const signature = sign('sha256', signed, privateKey).toString('base64url')
      const parts = { clientDataJSON: client.toString('base64url'), authenticatorData: authData.toString('base64url') }
      return { ...common, response: { ...parts, signature } }
    },
  }
}
