import { type ClientRequest, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { endpoint } from '@ratchet/contracts/endpoint'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { eventually } from '@ratchet/testing/eventually'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { silentLogger } from '@ratchet/testing/silent-logger'
import request from 'supertest'
import { z } from 'zod'
import { type NamedKey, signIdentity } from '../identity/identity.ts'
import { requireIdentity } from '../identity/require-identity.ts'
import { createDrain } from '../process/drain.ts'
import { createHttpApp } from './http-app.ts'
import { mountRaw } from './mount.ts'
import { mountJson, readJsonBytes } from './mount-json.ts'

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

const createBytes = { ...createThing, path: '/v1/bytes' }

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
    mountRaw(router, createBytes, async (input, response) => {
      const { length } = await readJsonBytes(input.request, response, createBytes.maxJsonBytes)
      response.status(201).json({ length })
    })
  },
})

function post(body: string, type = 'application/json', path = '/v1/things') {
  const bound = { audience: 'alias', requestId: 'r1', method: 'POST', path }
  const header = signIdentity(key, bound, fleetIdentity, now().getTime())
  return request(app).post(path).set({ 'x-request-id': 'r1', 'x-internal-identity': header }).type(type).send(body)
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

it.each([
  ['application/json', 201],
  ['application/json; charset=UTF-8', 201],
  ['application/json; charset="utf8"', 201],
  ['application/json;charset=utf-16', 415],
  ['application/json; charset=iso-8859-1', 415],
])('reads the bytes of a body of %s: %i', async (type, status) => {
  expect((await post('{"text":""}', type, '/v1/bytes')).status).toBe(status)
})

describe('many bodies at the same time', () => {
  const maxBytes = 16 * mebibyte
  const takeLarge = { ...createThing, maxBodyBytes: maxBytes, maxJsonBytes: maxBytes }
  const large = createHttpApp({
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    health: { drain: createDrain(), checks: {}, now },
    requestId: () => 'r1',
    serveMetrics: false,
    routes: (router) => {
      router.use(requireIdentity({ audience: 'alias', keys: [key], now, logger: silentLogger }))
      mountJson(router, takeLarge, async ({ body }) => ({ reply: { length: body.text.length } }))
    },
  })
  const server = large.listen(0, '127.0.0.1')
  const clients: ClientRequest[] = []
  afterAll(async () => {
    for (const client of clients) client.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  /** Sends the first bytes of a body, and never its end. */
  function begin(workspaceId: string, bytes: number) {
    const bound = { audience: 'alias', requestId: 'r1', method: 'POST', path: '/v1/things' }
    const identity = { ...fleetIdentity, workspaceId }
    const headers = {
      'x-request-id': 'r1',
      'x-internal-identity': signIdentity(key, bound, identity, now().getTime()),
      'content-type': 'application/json',
      'content-length': bytes + 10,
    }
    const { port } = server.address() as AddressInfo
    const client = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/v1/things', agent: false, headers })
    clients.push(client)
    client.write(`{"text":"${'x'.repeat(bytes - 9)}`)
    const status = new Promise<number>((resolve) => {
      client.once('response', (answer) => resolve(answer.statusCode ?? 0)).once('error', () => resolve(0))
    })
    return { status, end: () => client.end(`${' '.repeat(8)}"}`) }
  }

  it('refuses those beyond the share of a workspace, and takes those of others', async () => {
    const one = '00000000-0000-7000-8000-000000000001'
    const hostile = Array.from({ length: 40 }, () => begin(one, 4 * mebibyte))
    let refused = 0
    for (const { status } of hostile) void status.then((code) => (refused += code === 503 ? 1 : 0))
    await eventually(() => expect(refused).toBeGreaterThanOrEqual(36))
    const other = begin('00000000-0000-7000-8000-000000000002', mebibyte)
    other.end()
    expect(await other.status).toBe(201)
    expect(refused).toBeLessThan(40)
  })
})
