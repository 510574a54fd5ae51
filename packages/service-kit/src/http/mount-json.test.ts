import { endpoint } from '@ratchet/contracts/endpoint'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { silentLogger } from '@ratchet/testing/silent-logger'
import request from 'supertest'
import { z } from 'zod'
import { type NamedKey, signIdentity } from '../identity/identity.ts'
import { requireIdentity } from '../identity/require-identity.ts'
import { createDrain } from '../process/drain.ts'
import { createHttpApp } from './http-app.ts'
import { mountJson } from './mount-json.ts'

const createThing = endpoint({
  method: 'post',
  path: '/v1/things',
  summary: 'S.',
  description: 'D.',
  service: 'alias',
  permission: 'any',
  maxBodyBytes: 2_000,
  maxJsonBytes: 1_000,
  body: z.strictObject({ text: z.string() }),
  reply: z.object({ length: z.int() }),
  status: 201,
})

const key: NamedKey = { id: 'k1', secret: Buffer.alloc(32, 1) }
const { now } = fixedClock()
const app = createHttpApp({
  logger: silentLogger,
  metrics: createProcessMetrics('test'),
  health: { drain: createDrain(), checks: {}, now },
  requestId: () => 'r1',
  serveMetrics: false,
  routes: (router) => {
    router.use(requireIdentity({ audience: 'alias', keys: [key], now, logger: silentLogger }))
    mountJson(router, createThing, async ({ body }) => ({ reply: { length: body.text.length } }))
  },
})

function post(body: string, type = 'application/json') {
  const bound = { audience: 'alias', requestId: 'r1', method: 'POST', path: '/v1/things' }
  const header = signIdentity(key, bound, fleetIdentity, now().getTime())
  return request(app)
    .post('/v1/things')
    .set({ 'x-request-id': 'r1', 'x-internal-identity': header })
    .type(type)
    .send(body)
}

/** A body of this many bytes. */
const bodyOf = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) })

it('accepts a JSON body up to the limit of its endpoint', async () => {
  expect(await post(bodyOf(1_000))).toMatchObject({ status: 201, body: { length: 989 } })
  expect(await post(bodyOf(1_001))).toMatchObject({ status: 413, body: { error: { code: 'request_too_large' } } })
})

it('refuses another media type', async () => {
  expect(await post('text', 'text/plain')).toMatchObject({
    status: 415,
    body: { error: { code: 'unsupported_media_type' } },
  })
})
