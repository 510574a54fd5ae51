import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { identityHeader } from '@ratchet/contracts/identity'
import { voiceEndpoints } from '@ratchet/contracts/voice/voice-endpoints'
import { isVoiceError } from '@ratchet/contracts/voice/voice-errors'
import { mintVoiceKey } from '@ratchet/contracts/voice/voice-key'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { deriveAudienceKey, verifyIdentity } from '@ratchet/service-kit/identity/identity'
import { silentLogger } from '@ratchet/testing/silent-logger'
import fc from 'fast-check'
import request from 'supertest'
import { createEndpointIndex } from '../admission/endpoint-index.ts'
import { createVoiceForwarder, type VoiceForwarder } from '../forward/voice-forwarder.ts'
import { createAddressWindows } from './address-windows.ts'
import type { VoiceCaller } from './voice-keys.ts'
import { createVoiceListener, type VoiceListenerDeps } from './voice-listener.ts'

const masterKey = { id: 'k1', secret: randomBytes(32) }
const key = mintVoiceKey('live', randomBytes)
const ids = { keyId: 1, workspaceId: 2, userId: 3 }
const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
const caller: VoiceCaller = {
  keyId: uuid(ids.keyId),
  workspaceId: uuid(ids.workspaceId),
  userId: uuid(ids.userId),
  role: 'owner',
  env: 'live',
  scope: 'workspace',
}
const now = () => new Date()

/** The voice service, as a test says. */
let answer: (request: IncomingMessage, response: ServerResponse) => void
let service: Server
let forwarder: VoiceForwarder
beforeAll(async () => {
  service = createServer((received, response) => answer(received, response))
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  forwarder = createVoiceForwarder({ origin: `http://127.0.0.1:${port}`, masterKey, now, timeoutMs: 2_000 })
})
afterAll(async () => {
  await forwarder.close()
  service.close()
})

function listener(own: Partial<VoiceListenerDeps> = {}) {
  let id = 0
  return createVoiceListener({
    keys: { find: async () => caller },
    windows: { count: async () => ({ number: 7, resetsAt: 1_800_000_000 }) },
    addresses: createAddressWindows(10),
    index: createEndpointIndex(voiceEndpoints),
    now,
    forward: forwarder.forward,
    bodies: createBodyBudget(8 * mebibyte),
    clientAddressOf: () => '192.0.2.1',
    newId: () => `request-${++id}`,
    logger: silentLogger,
    ...own,
  })
}

const withKey = { 'x-api-key': key }
const rateHeaders = { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '993', 'x-ratelimit-reset': '1800000000' }

it('forwards a request with a signed identity and no key, and adds its own headers to the answer', async () => {
  let received: IncomingMessage | undefined
  answer = (sent, response) => {
    received = sent
    response.writeHead(201, {
      'content-type': 'application/json',
      'x-internal-thing': 'secret',
      'x-request-id': 'other',
    })
    response.end('{"id":"agent_1"}')
  }
  const answered = await request(listener())
    .post('/agents?x=1')
    .set({ ...withKey, 'idempotency-key': 'once', cookie: 'a=b' })
    .send({ name: 'a' })
  expect(answered.status).toBe(201)
  expect(answered.body).toEqual({ id: 'agent_1' })
  expect(answered.headers).toMatchObject({ ...rateHeaders, 'x-request-id': 'request-1' })
  expect(answered.headers['x-internal-thing']).toBeUndefined()
  expect(received?.headers).toMatchObject({ 'idempotency-key': 'once', 'x-request-id': 'request-1' })
  expect(received?.headers['x-api-key']).toBeUndefined()
  expect(received?.headers.cookie).toBeUndefined()
  const keys = [{ id: 'k1', secret: deriveAudienceKey(masterKey.secret, 'voice') }]
  const bound = { audience: 'voice', requestId: 'request-1', method: 'POST', path: '/agents?x=1' }
  const verified = verifyIdentity(keys, bound, String(received?.headers[identityHeader]), Date.now())
  const { env, scope, ...key } = caller
  const identity = { ...key, voice: { env, scope } }
  expect(verified).toMatchObject({ caller: 'edge', identity })
})

it('passes refusals of the table, and hides all others', async () => {
  const answers = fc.record({
    status: fc.constantFrom(400, 401, 402, 403, 404, 405, 409, 412, 418, 422, 429, 500, 502, 503),
    code: fc.option(
      fc.constantFrom('INVALID_BODY', 'UNAUTHORIZED', 'CONFLICT', 'FORBIDDEN', 'not_found', 'RESOURCE_NOT_FOUND'),
    ),
    isJson: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(answers, async ({ status, code, isJson }) => {
      answer = (_, response) => {
        response.writeHead(status)
        response.end(isJson ? JSON.stringify({ error: { message: 'm', code } }) : '<html>')
      }
      const shown = await request(listener()).get('/v1/agents').set(withKey)
      expect(isVoiceError({ status: shown.status, code: shown.body.error.code })).toBe(true)
      expect(shown.headers).toMatchObject(rateHeaders)
      expect(shown.headers['x-request-id']).toBeDefined()
      if (isJson && status !== 401 && isVoiceError({ status, code })) expect(shown.status).toBe(status)
    }),
    { numRuns: 100 },
  )
})

it('answers 503 with the rate headers when the service, the keys or the windows are away', async () => {
  const away = createVoiceForwarder({ origin: 'http://127.0.0.1:1', masterKey, now, timeoutMs: 500 })
  const refused = await request(listener({ forward: away.forward }))
    .get('/v1/agents')
    .set(withKey)
  expect([refused.status, refused.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect(refused.headers).toMatchObject({ ...rateHeaders, 'retry-after': '1' })
  await away.close()
  answer = (_, response) => response.destroy()
  const cut = await request(listener()).get('/v1/agents').set(withKey)
  expect([cut.status, cut.body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  const failing = async () => {
    throw Object.assign(new Error('timeout'), { code: '57014' })
  }
  for (const own of [{ keys: { find: failing } }, { windows: { count: failing } }]) {
    const answered = await request(listener(own)).get('/v1/agents').set(withKey)
    expect([500, 503]).toContain(answered.status)
    expect(isVoiceError({ status: answered.status, code: answered.body.error.code })).toBe(true)
  }
})

it('describes itself without a key', async () => {
  const described = await request(listener()).get('/v1/openapi.json')
  expect(described.status).toBe(200)
  expect(described.body.paths['/v1/agents'].get.operationId).toBe('getAgents')
  expect(described.headers).toMatchObject({ 'x-ratelimit-remaining': '999', 'x-request-id': 'request-1' })
})

it('refuses a large body, a path that cannot be read, and a missing key', async () => {
  const large = await request(listener())
    .post('/v1/agents')
    .set(withKey)
    .send({ name: 'x'.repeat(1_100_000) })
  expect([large.status, large.body.error.code]).toEqual([400, 'INVALID_BODY'])
  const path = await request(listener()).get('/v1//agents').set(withKey)
  expect([path.status, path.body.error.code]).toEqual([400, 'BAD_REQUEST'])
  const missing = await request(listener()).get('/v1//agents')
  expect([missing.status, missing.body.error.code]).toEqual([401, 'MISSING_API_KEY'])
  expect(missing.headers).toMatchObject({ 'x-ratelimit-remaining': '999', 'x-request-id': 'request-1' })
})

it('passes a stream of events on as it comes, and ends it when the client leaves', async () => {
  const left = Promise.withResolvers<void>()
  answer = (received, response) => {
    expect(received.headers).toMatchObject({ accept: 'text/event-stream', 'last-event-id': '7' })
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write('id: 8\ndata: {}\n\n')
    response.once('close', () => left.resolve())
  }
  const server = createServer(listener())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const leaving = new AbortController()
  const path = '/v1/calls/call_1/events'
  const streamed = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { ...withKey, accept: 'text/event-stream', 'last-event-id': '7' },
    signal: leaving.signal,
  })
  expect(streamed.headers.get('x-ratelimit-remaining')).toBe('993')
  const { value } = await streamed.body!.getReader().read()
  expect(Buffer.from(value!).toString()).toBe('id: 8\ndata: {}\n\n')
  leaving.abort()
  await left.promise
  await new Promise((resolve) => server.close(resolve))
})

describe('webhooks of carriers', () => {
  const path = `/carriers/twilio/num_${'0'.repeat(32)}/voice?call=a%2Fb`

  it('pass without a key, as they were signed, and are not counted', async () => {
    const seen: { url?: string; headers?: object; body?: string }[] = []
    answer = async (received, response) => {
      const body = Buffer.concat(await received.toArray()).toString()
      seen.push({ url: received.url ?? '', headers: received.headers, body })
      response.writeHead(200, { 'content-type': 'text/xml' }).end('<Response/>')
    }
    const windows = { count: () => Promise.reject(new Error('nothing is counted')) }
    const sent = await request(listener({ windows }))
      .post(path)
      .set({ 'x-twilio-signature': 'c2ln', cookie: 'a=b', 'content-type': 'application/x-www-form-urlencoded' })
      .send('CallSid=CA1&From=%2B49')
    expect([sent.status, sent.headers['content-type'], sent.text]).toEqual([200, 'text/xml', '<Response/>'])
    expect(sent.headers['x-request-id']).toBe('request-1')
    expect(seen).toMatchObject([
      { url: path, headers: { 'x-twilio-signature': 'c2ln' }, body: 'CallSid=CA1&From=%2B49' },
    ])
    expect(seen[0]?.headers).not.toHaveProperty('cookie')
  })

  it('are of these paths and this method only, and have at most 64 KB', async () => {
    answer = (_received, response) => void response.writeHead(200).end('{}')
    const keyless = { keys: { find: async () => null } }
    for (const other of ['/carriers/other/num_1/voice', path.replace('voice', 'else'), `/v1${path}`]) {
      expect((await request(listener(keyless)).post(other)).status).toBe(401)
    }
    expect((await request(listener(keyless)).get(path)).status).toBe(401)
    expect((await request(listener()).post(path).send('a'.repeat(70_000))).status).toBe(400)
  })

  it('are refused as the service refuses them', async () => {
    const body = JSON.stringify({ error: { message: 'Not signed.', code: 'FORBIDDEN' } })
    answer = (_received, response) => void response.writeHead(403, { 'content-type': 'application/json' }).end(body)
    const sent = await request(listener()).post(path).send('x')
    expect([sent.status, sent.body.error.code]).toEqual([403, 'FORBIDDEN'])
  })
})

it('passes a part of a recording on as it comes', async () => {
  const audio = Buffer.alloc(300_000, 7)
  answer = (received, response) => {
    expect(received.headers.range).toBe('bytes=10-300009')
    response.writeHead(206, {
      'content-type': 'audio/wav',
      'content-length': audio.length,
      'content-range': 'bytes 10-300009/400000',
      'accept-ranges': 'bytes',
    })
    response.end(audio)
  }
  const got = await request(listener())
    .get('/v1/calls/call_1/recording')
    .set({ ...withKey, range: 'bytes=10-300009' })
    .responseType('blob')
  expect(got.status).toBe(206)
  expect(got.headers).toMatchObject({ 'content-range': 'bytes 10-300009/400000', 'content-length': '300000' })
  expect(audio.equals(got.body)).toBe(true)
})
