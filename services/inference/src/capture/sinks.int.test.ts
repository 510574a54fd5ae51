import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CapturedExchange, captureStream, decodeCaptures } from '@ratchet/contracts/captured-exchange'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { createUpstream } from '@ratchet/http/create-upstream'
import { createFleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { verifyIdentity } from '@ratchet/service-kit/identity/identity'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { Redis } from 'ioredis'
import { createCapturePace } from './capture-pace.ts'
import { capturedExchange } from './captured.fixture.ts'
import { createDirectSink } from './direct-sink.ts'
import { createStreamSink } from './stream-sink.ts'

const exchanges = [0, 1, 2].map((index) => capturedExchange(index, Buffer.from([index, 0, 255])))

const loggingKey = { id: 'k1', secret: Buffer.alloc(32, 1) }
const seal = createByteSeal({ keys: [loggingKey], purpose: 'captures', randomBytes, now: () => new Date() })
const opened = (sealed: Buffer | undefined) => decodeCaptures(seal.open(sealed ?? Buffer.alloc(0), captureStream.key))

const calm = { add: () => false }

describe('the stream in Redis', () => {
  let fresh: FreshRedis
  let redis: Redis
  beforeAll(async () => {
    fresh = await freshRedis()
    redis = new Redis(fresh.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 500 })
    redis.on('error', () => undefined)
    await once(redis, 'ready')
  })
  afterAll(async () => {
    redis.disconnect()
    await fresh.drop()
  })

  it('gets all exchanges in one entry, in order, byte for byte', async () => {
    expect(await createStreamSink({ redis, seal, pace: calm })(exchanges)).toEqual({ left: [], cause: null })
    const [[, [field, bytes] = []] = ['', []], ...others] = await redis.xrangeBuffer(captureStream.key, '-', '+')
    expect([String(field), opened(bytes), others]).toEqual([captureStream.field, exchanges, []])
  })

  it('gets nothing that can be read without the key', async () => {
    const secrets = ['sk-proj-prompt', 'sk-proj-answer', 'sk-proj-tag', 'sk-proj-trace'] as const
    const [prompt, answer, tag, traceId] = secrets
    const { meta, ...exchange } = capturedExchange(7, Buffer.from(JSON.stringify({ choices: [answer] })))
    const secret = { ...exchange, meta: { ...meta, tag, traceId }, request: Buffer.from(`{"messages":["${prompt}"]}`) }
    await createStreamSink({ redis, seal, pace: calm })([secret])
    const [[, fields] = ['', []]] = await redis.xrevrangeBuffer(captureStream.key, '+', '-', 'COUNT', 1)
    expect(opened(fields[1])).toEqual([secret])
    const stored = Buffer.concat(fields)
    for (const each of [...secrets, meta.workspaceId, 'messages']) expect(stored.includes(each)).toBe(false)
  })

  it('gets large exchanges in several entries', async () => {
    const sizes: number[] = []
    const large = [0, 1, 2].map((index) => capturedExchange(index, Buffer.alloc(600_000)))
    const sizing = {
      async xadd(_key: string, ...fields: (string | Buffer)[]) {
        sizes.push(opened(fields[2] as Buffer).length)
      },
    }
    const sink = createStreamSink({ redis: sizing, seal, pace: calm })
    expect(await sink([...exchanges, ...large])).toEqual({ left: [], cause: null })
    expect(sizes).toEqual([4, 1, 1])
  })

  it('gets the exchanges of a workspace above its share apart from those of others, and for the same seal', async () => {
    const flooding = '00000000-0000-7000-8000-0000000000ff'
    const ofFlood = exchanges.map(({ meta, ...rest }) => ({ ...rest, meta: { ...meta, workspaceId: flooding } }))
    const pace = createCapturePace(() => 0, { bytesPerSecond: 1, burstBytes: 1_500 })
    const sink = createStreamSink({ redis, seal, pace })
    const mixed = [...ofFlood.slice(0, 2), exchanges[0] as CapturedExchange, ...ofFlood.slice(2)]
    expect(await sink(mixed)).toEqual({ left: [], cause: null })
    const last = async (key: string) => {
      const [[, fields] = ['', []]] = await redis.xrevrangeBuffer(key, '+', '-', 'COUNT', 1)
      return decodeCaptures(seal.open(fields[1] ?? Buffer.alloc(0), key))
    }
    expect(await last(captureStream.key)).toEqual([ofFlood[0], exchanges[0]])
    expect(await last(captureStream.busyKey)).toEqual(ofFlood.slice(1))
  })

  it('leaves to the other transport what Redis has no room for', async () => {
    const full = new Error('OOM command not allowed')
    const sink = createStreamSink({ redis: { xadd: () => Promise.reject(full) }, seal, pace: calm })
    expect(await sink(exchanges)).toEqual({ left: exchanges, cause: full })
  })

  it('takes nothing, and returns at once, without a connection', async () => {
    const lost = new Redis({ lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 })
    const { left, cause } = await createStreamSink({ redis: lost, seal, pace: calm })(exchanges)
    expect(left).toEqual(exchanges)
    expect(cause).toBeInstanceOf(Error)
    lost.disconnect()
  })
})

describe('the logging service', () => {
  const key = { id: 'k1', secret: Buffer.alloc(32, 1) }
  const now = () => new Date('2026-11-21T12:00:00Z')
  const heard: { url: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
  let status = 204
  let server: Server
  let origin: string
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      heard.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(status).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  function directSink(to: string) {
    const upstream = createUpstream({ origin: to, connections: 1, connectTimeoutMs: 500 })
    const newId = () => '00000000-0000-7000-8000-00000000000f'
    const signer = keyOfCaller(key, 'inference')
    const send = createDirectSink(createFleetClient({ audience: 'logging', upstream, key: signer, now, newId }))
    return { send, close: () => upstream.destroy() }
  }

  it('gets the same exchanges with a signed identity', async () => {
    const { send, close } = directSink(origin)
    expect(await send(exchanges)).toEqual({ left: [], cause: null })
    await close()
    const [{ url, headers, body } = { url: '', headers: {}, body: Buffer.alloc(0) }] = heard
    expect(decodeCaptures(body)).toEqual(exchanges)
    const bound = { audience: 'logging', requestId: String(headers['x-request-id']), method: 'POST', path: url }
    expect(verifyIdentity([key], bound, String(headers['x-internal-identity']), now().getTime())).toEqual({
      caller: 'inference',
      identity: fleetIdentity,
    })
  })

  it.each([
    ['answers anything but 204', async () => origin],
    ['is not there', async () => 'http://127.0.0.1:9'],
  ])('takes nothing when it %s', async (_name, at) => {
    status = 503
    const { send, close } = directSink(await at())
    expect((await send(exchanges)).left).toEqual(exchanges)
    await close()
  })
})
