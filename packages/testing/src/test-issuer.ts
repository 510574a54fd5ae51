import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A provider of identities (OpenID Connect) that says what the test prepared. Its client is `ratchet`. */
export interface TestIssuer {
  readonly url: string
  readonly accessToken: string
  /** What the provider says about the person, for the sign-in that began with this address. */
  prepare(address: string, claims: object): void
  /** Who signs in when a browser opens the address of a sign-in. Nobody has to type anything there. */
  signsIn(claims: object): void
  stop(): Promise<void>
}

export async function startTestIssuer(): Promise<TestIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const accessToken = 'access-token-of-the-issuer'
  let claims: object = {}
  let person: object = {}
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const idToken = () => {
    const seconds = Math.floor(Date.now() / 1_000)
    const payload = { iss: url, aud: 'ratchet', iat: seconds, exp: seconds + 60, ...claims }
    const signed = `${encode({ alg: 'RS256', kid: '1' })}.${encode(payload)}`
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
  }
  const answers: Readonly<Record<string, () => object>> = {
    '/.well-known/openid-configuration': () => ({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    '/jwks': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: '1', alg: 'RS256', use: 'sig' }] }),
    '/token': () => ({ access_token: accessToken, token_type: 'Bearer', expires_in: 60, id_token: idToken() }),
  }
  const prepare = (address: string, next: object) => {
    const nonce = new URL(address).searchParams.get('nonce')
    claims = { ...(nonce === null ? {} : { nonce }), ...next }
  }
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', url)
    if (asked.pathname === '/authorize') {
      prepare(asked.href, person)
      const back = new URL(asked.searchParams.get('redirect_uri') ?? url)
      back.searchParams.set('code', 'c')
      back.searchParams.set('state', asked.searchParams.get('state') ?? '')
      return void response.writeHead(302, { location: back.href }).end()
    }
    const body = answers[asked.pathname]?.() ?? {}
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    accessToken,
    prepare,
    signsIn(next) {
      person = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
