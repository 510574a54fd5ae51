import { endpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { type LogLine, recordingLogger } from '@ratchet/testing/recording-logger'
import express, { type Express } from 'express'
import request, { type Test } from 'supertest'
import { z } from 'zod'
import { type NamedKey, signIdentity } from '../identity/identity.ts'
import { requireIdentity } from '../identity/require-identity.ts'
import { createDrain } from '../process/drain.ts'
import { createHttpApp } from './http-app.ts'
import { type Input, mount } from './mount.ts'

const described = { summary: 'S.', description: 'D.', service: 'inference', permission: 'any' } as const

const replaceThing = endpoint({
  ...described,
  method: 'put',
  path: '/v1/things/:id',
  params: z.object({ id: z.string() }),
  query: z.strictObject({ dry: z.stringbool().default(false) }),
  body: z.strictObject({ name: z.string(), size: z.strictObject({ width: z.number() }).optional() }),
  reply: z.object({ id: z.string(), name: z.string() }),
})
const readThing = endpoint({
  ...described,
  method: 'get',
  path: '/v1/things/:id',
  params: replaceThing.params,
  reply: z.object({}),
})

const key: NamedKey = { id: 'k1', secret: Buffer.alloc(32, 1) }
const { now } = fixedClock()
const identity: Identity = {
  workspaceId: '0195a2b0-0000-7000-8000-000000000002',
  userId: '0195a2b0-0000-7000-8000-000000000003',
  role: 'member',
  keyId: '0195a2b0-0000-7000-8000-000000000004',
}

function testApp(handler: (input: Input<typeof replaceThing>) => { id: string; name: string }) {
  const { logger, lines } = recordingLogger()
  const app = createHttpApp({
    logger,
    metrics: createProcessMetrics('test'),
    health: { drain: createDrain(), checks: {}, now },
    requestId: () => 'r1',
    serveMetrics: true,
    routes: (router) => {
      router.use(requireIdentity({ audience: 'inference', keys: [key], now, logger }))
      router.use(express.json())
      mount(router, replaceThing, handler)
      mount(router, readThing, () => ({}))
    },
  })
  return { app, lines }
}

/** A request as the edge sends it. */
function signed(app: Express, method: 'get' | 'put', path: string): Test {
  const header = signIdentity(
    key,
    { audience: 'inference', requestId: 'r1', method: method.toUpperCase(), path },
    identity,
    now().getTime(),
  )
  return request(app)[method](path).set({ 'x-request-id': 'r1', 'x-internal-identity': header })
}

function put(body: object, path = '/v1/things/t1') {
  const { app } = testApp(({ params }) => ({ id: params.id, name: 'n' }))
  return signed(app, 'put', path).send(body)
}

it('calls the handler with parsed input and the identity, and answers with its reply', async () => {
  const inputs: Input<typeof replaceThing>[] = []
  const { app } = testApp((input) => {
    inputs.push(input)
    return { id: input.params.id, name: input.body.name }
  })

  const response = await signed(app, 'put', '/v1/things/a%2Fb?dry=true').send({ name: 'n' })

  expect([response.status, response.body]).toEqual([200, { id: 'a/b', name: 'n' }])
  expect(inputs).toMatchObject([{ params: { id: 'a/b' }, query: { dry: true }, body: { name: 'n' }, identity }])
})

it.each([
  [{ name: 'n', nam: 1 }, 'unknown_parameter', 'nam', 'Unknown parameter: nam.'],
  [{ name: 'n', size: { width: 1, hight: 2 } }, 'unknown_parameter', 'size.hight', 'Unknown parameter: size.hight.'],
  [{}, 'invalid_request', 'name', expect.any(String)],
  [{ name: 7 }, 'invalid_request', 'name', expect.any(String)],
  [{ name: 'n', size: { width: 'wide' } }, 'invalid_request', 'size.width', expect.any(String)],
])('names the wrong field of the body %j', async (body, code, param, message) => {
  const response = await put(body)

  expect(response.status).toBe(400)
  expect(response.body).toEqual({
    error: { message, type: 'invalid_request_error', code, param, request_id: 'r1' },
  })
})

it.each([
  ['?dri=true', 'unknown_parameter', 'dri'],
  ['?dry=perhaps', 'invalid_request', 'dry'],
  ['?dry=true&dry=false', 'invalid_request', 'dry'],
])('names the wrong field of the query %s', async (query, code, param) => {
  const response = await put({ name: 'n' }, `/v1/things/t1${query}`)

  expect([response.status, response.body.error.code, response.body.error.param]).toEqual([400, code, param])
})

it('refuses input for an endpoint without input', async () => {
  const { app } = testApp(() => ({ id: '', name: '' }))

  const response = await signed(app, 'get', '/v1/things/t1?stray=1')

  expect([response.status, response.body.error.param]).toEqual([400, 'stray'])
})

it.each([
  ['malformed', '{"name":', 'application/json', 400, 'invalid_request'],
  ['not an object', '[]', 'application/json', 400, 'invalid_request'],
  ['too large', JSON.stringify({ name: 'x'.repeat(200_000) }), 'application/json', 413, 'request_too_large'],
  ['in an unknown charset', '{}', 'application/json; charset=klingon', 415, 'unsupported_media_type'],
])('answers 4xx for a body that is %s', async (_, body, type, status, code) => {
  const { app, lines } = testApp(() => ({ id: '', name: '' }))

  const response = await signed(app, 'put', '/v1/things/t1').set('content-type', type).send(body)

  expect([response.status, response.body.error.code]).toEqual([status, code])
  expect(lines).toEqual([])
})

it('answers 500, without the reply, for a reply that does not match the contract', async () => {
  const { app, lines } = testApp(() => ({ id: 'hush' }) as { id: string; name: string })

  const response = await signed(app, 'put', '/v1/things/t1').send({ name: 'n' })

  expect([response.status, response.body.error.code]).toEqual([500, 'internal_error'])
  expect(response.text).not.toMatch(/hush|invalid_type|expected/)
  expect(lines).toMatchObject([{ level: 50, requestId: 'r1' }])
})

it('removes fields that the contract does not have', async () => {
  const { app } = testApp(() => ({ id: 't1', name: 'n', secret: 'hush' }))

  const response = await signed(app, 'put', '/v1/things/t1').send({ name: 'n' })

  expect(response.body).toEqual({ id: 't1', name: 'n' })
})

describe('a request that did not come from the edge', () => {
  it.each([
    ['without a header', {}],
    ['with a forged header', { 'x-internal-identity': 'v1.k1.e30.AAAA' }],
    ['with the header of another request', { 'x-internal-identity': stolenHeader() }],
  ])('is refused %s, and logged as an error', async (_, headers) => {
    const { app, lines } = testApp(() => ({ id: '', name: '' }))

    const response = await request(app)
      .put('/v1/things/t1')
      .set({ 'x-request-id': 'r1', ...headers })
      .send({ name: 'n' })

    expect([response.status, response.body.error.code]).toEqual([401, 'invalid_api_key'])
    expect(lines).toMatchObject([{ level: 50, event: 'identity_refused', requestId: 'r1' } satisfies LogLine])
  })

  function stolenHeader(): string {
    const other = { audience: 'inference', requestId: 'r1', method: 'GET', path: '/v1/things/t1' }
    return signIdentity(key, other, identity, now().getTime())
  }
})
