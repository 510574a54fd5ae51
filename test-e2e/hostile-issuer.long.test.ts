import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { eventually } from '@ratchet/testing/eventually'
import { type Fleet, startFleet } from './fleet.ts'
import { sendFromPage } from './signed-in.ts'

/* A provider of identities whose answers do not end. */

/** What it answers the exchange of a code with. */
let answerToken: (response: ServerResponse) => void = (response) => response.end('{}')
let sentBytes = 0
let server: Server
let fleet: Fleet

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    if (request.url === '/token') return answerToken(response)
    const discovery = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      id_token_signing_alg_values_supported: ['RS256'],
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(discovery))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const env = {
    OIDC_DISCOVERY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/openid-configuration`,
    OIDC_CLIENT_ID: 'ratchet',
    OIDC_CLIENT_SECRET: 'secret-of-the-client',
  }
  fleet = await startFleet({ dashboard: true, env })
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  server.closeAllConnections()
  server.close()
})

async function signIn(): Promise<Response> {
  const begun = await sendFromPage(fleet, '/api/auth/sign-in/social', {
    method: 'POST',
    body: { provider: 'oidc', return_to: '/w' },
  })
  expect(begun.status).toBe(200)
  const { redirect_to } = (await begun.json()) as { redirect_to: string }
  const cookie = begun.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
  const state = new URL(redirect_to).searchParams.get('state')
  return sendFromPage(fleet, `/api/auth/callback/oidc?code=c&state=${state}`, {
    cookie,
    headers: { 'sec-fetch-site': 'cross-site' },
    signal: AbortSignal.timeout(40_000),
  })
}

const memoryOf = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024

it('ends a sign-in whose provider sends without an end, and takes little of it into memory', async () => {
  answerToken = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"access_token":"')
    const block = Buffer.alloc(mebibyte, 'a')
    const write = (): void => {
      while (!response.destroyed && sentBytes < 600 * mebibyte) {
        sentBytes += block.length
        if (!response.write(block)) return void response.once('drain', write)
      }
    }
    write()
  }
  const before = memoryOf(fleet.dashboard.pid)
  const answer = await signIn()
  expect(answer.status).toBe(302)
  expect(answer.headers.get('location')).toContain('error')
  expect(memoryOf(fleet.dashboard.pid) - before).toBeLessThan(64 * mebibyte)
}, 90_000)

it('ends a sign-in whose provider says nothing more', async () => {
  answerToken = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{')
  const answer = await signIn()
  expect(answer.status).toBe(302)
  await eventually(async () => (await sendFromPage(fleet, '/sign-in')).status === 200)
}, 90_000)
