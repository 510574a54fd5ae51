import { gzipSync } from 'node:zlib'
import { endpoint } from '@ratchet/contracts/endpoint'
import { eventually } from '@ratchet/testing/eventually'
import request from 'supertest'
import { z } from 'zod'
import { type ScriptedService, startService, startTestEdge, type TestEdge } from './edge.fixture.ts'

const path = '/v1/small'
const small = endpoint({
  method: 'post',
  path,
  summary: 'x',
  description: 'x',
  service: 'inference',
  permission: 'any',
  maxBodyBytes: 100_000,
  maxGzippedBytes: 10_000,
  reply: z.unknown(),
})

let service: ScriptedService
let edge: TestEdge
/** Bytes of the bodies that reached the service. */
const received: number[] = []

beforeAll(async () => {
  service = await startService((incoming, response) => {
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    incoming.on('close', () => received.push(bytes))
    incoming.on('end', () => {
      const { 'content-encoding': coding, 'content-length': length } = incoming.headers
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ bytes, coding, length }))
    })
  })
  edge = await startTestEdge({ origin: service.origin, endpoints: [small] })
})
afterAll(async () => {
  await edge.stop()
  await service.stop()
})

function post(body: Buffer) {
  return request(`http://127.0.0.1:${edge.port}`)
    .post(path)
    .auth(edge.mint(), { type: 'bearer' })
    .set({ 'content-encoding': 'gzip', 'content-type': 'application/json' })
    .serialize((sent) => sent as never)
    .send(body as never)
}

it('reach the service decompressed', async () => {
  const { status, body } = await post(gzipSync('x'.repeat(100_000)))
  expect([status, body]).toEqual([200, { bytes: 100_000 }])
})

it('are refused when they become larger than a body may be, before the service has more than that', async () => {
  received.length = 0
  const bomb = gzipSync(Buffer.alloc(5_000_000))
  expect(bomb.length).toBeLessThan(10_000)
  const { status, body } = await post(bomb)
  expect([status, body.error.code]).toEqual([413, 'request_too_large'])
  await eventually(() => received.length > 0)
  expect(received[0]).toBeLessThanOrEqual(100_000)
})

it('are refused when they are too large as they are sent, also if they become nothing', async () => {
  const nothing = gzipSync('')
  const endless = Buffer.concat(Array.from({ length: 1_000 }, () => nothing))
  expect(endless.length).toBeGreaterThan(10_000)
  expect((await post(endless)).status).toBe(413)
})

it.each([
  ['other bytes', Buffer.from('{"a":1}')],
  ['the beginning of a compressed body', gzipSync('{"a":1}').subarray(0, 20)],
])('are refused when they are %s', async (_name, bytes) => {
  const { status, body } = await post(bytes)
  expect([status, body.error.code]).toEqual([400, 'invalid_request'])
})
