import { randomBytes } from 'node:crypto'
import {
  type CapturedExchange,
  captureStream,
  encodeCaptures,
  unsealedCaptureStream,
} from '@ratchet/contracts/captured-exchange'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { storedExchanges } from '@ratchet/testing/stored-exchanges'
import { Redis } from 'ioredis'
import { createPgExchanges } from '../exchanges/pg-exchanges.ts'
import { inlineRedactor } from '../redaction/inline-redactor.fixture.ts'
import { inlineSkeletons } from '../segments/inline-skeletons.fixture.ts'
import { createCaptureStream } from './capture-stream.ts'
import { type CaptureWorker, startCaptureWorker, type WorkerEvent } from './capture-worker.ts'
import { capturedExchange } from './captured.fixture.ts'
import { createIngest } from './ingest.ts'

const deadLetters = 'ratchet:capture:dead-letters'

let database: FreshDatabase
let fresh: FreshRedis
let redis: Redis
let operator: Pool
let postgres: ChaosProxy
let redisProxy: ChaosProxy
let undo: (() => Promise<unknown>)[] = []
let events: WorkerEvent[] = []
let lastProgressMs = 0
let index = 0

beforeAll(async () => {
  database = await freshDatabase()
  fresh = await freshRedis()
  redis = new Redis(fresh.url)
  operator = connectPool({ databaseUrl: database.url, max: 2 })
  postgres = await startChaosProxy({ targetPort: Number(new URL(database.url).port) })
  redisProxy = await startChaosProxy({ targetPort: Number(new URL(fresh.url).port) })
}, 60_000)

afterAll(async () => {
  redis.disconnect()
  await operator.end()
  await postgres.stop()
  await redisProxy.stop()
  await fresh.drop()
  await database.drop()
})

afterEach(async () => {
  await postgres.restore()
  await redisProxy.restore()
  for (const step of undo.splice(0).reverse()) await step()
  undo = []
  events = []
})

function through(url: string, proxy: ChaosProxy): string {
  const proxied = new URL(url)
  proxied.host = `127.0.0.1:${proxy.port}`
  return proxied.href
}

const [oldKey, newKey, unknownKey] = [1, 2, 3].map((n): NamedKey => ({ id: `k${n}`, secret: Buffer.alloc(32, n) })) as [
  NamedKey,
  NamedKey,
  NamedKey,
]

/** The first key seals, all open. */
function sealWith(...keys: [NamedKey, ...NamedKey[]]) {
  return createByteSeal({ keys, purpose: 'captures', randomBytes, now: () => new Date() })
}

/** As inference writes an entry. */
async function addSealed(
  exchanges: readonly CapturedExchange[],
  seal = sealWith(newKey),
  key: string = captureStream.key,
): Promise<void> {
  const { field } = captureStream
  await redis.xadd(key, '*', field, seal.seal(encodeCaptures(exchanges), key))
}

function connectStream(consumer: string, claimIdleMs = 200) {
  const connection = new Redis(through(fresh.url, redisProxy), {
    maxRetriesPerRequest: 0,
    commandTimeout: 1_000,
    retryStrategy: () => 50,
  })
  connection.on('error', () => undefined)
  undo.push(async () => connection.disconnect())
  return createCaptureStream({ redis: connection, seal: sealWith(newKey, oldKey), consumer, claimIdleMs, blockMs: 50 })
}

/** @param fails whether storing these exchanges fails */
function startWorker(
  consumer = 'worker',
  fails: (captured: readonly CapturedExchange[]) => boolean = () => false,
): CaptureWorker {
  const pool = connectPool({
    databaseUrl: through(database.url, postgres),
    role: 'ratchet_logging',
    max: 2,
    queryTimeoutMs: 1_000,
    connectTimeoutMs: 500,
  })
  undo.push(() => pool.end())
  const now = () => new Date()
  const log = createPgExchanges({ pool, newBlockId: () => crypto.randomUUID(), skeletons: inlineSkeletons })
  const real = createIngest({ log, redactor: inlineRedactor, now, newId: () => uuidV7(Date.now()), onEvent() {} })
  const ingest: typeof real.ingest = (captured) =>
    fails(captured) ? Promise.reject(new Error('it takes too long')) : real.ingest(captured)
  const stream = connectStream(consumer)
  const onEvent = (event: WorkerEvent) => void events.push(event)
  const onProgress = () => {
    lastProgressMs = Date.now()
  }
  const worker = startCaptureWorker({
    stream,
    ingest,
    now,
    onEvent,
    onProgress,
    claimEveryMs: 100,
    backOffMs: 20,
    gatherMs: 0,
  })
  undo.push(() => worker.stop())
  return worker
}

/** Adds new exchanges to the stream, and returns the ids of their requests. */
async function capture(count: number, change: object = {}): Promise<readonly string[]> {
  const exchanges = Array.from({ length: count }, () => {
    index += 1
    return { ...capturedExchange(index), ...change }
  })
  for (const pair of pairsOf(exchanges)) await addSealed(pair)
  return exchanges.map(({ meta }) => meta.requestId)
}

/** Inference sends several exchanges in an entry. */
function pairsOf(exchanges: readonly CapturedExchange[]): readonly (readonly CapturedExchange[])[] {
  return exchanges.flatMap((_, at) => (at % 2 === 0 ? [exchanges.slice(at, at + 2)] : []))
}

async function stored(ids: readonly string[]): Promise<readonly string[]> {
  const rows = await storedExchanges<{ request_id: string }>(operator, 'e.request_id = ANY($1)', [ids])
  return rows.flatMap(({ request_id: id, messages }) => (messages === null ? [] : [id])).toSorted()
}

async function expectStored(ids: readonly string[]): Promise<void> {
  await eventually(async () => expect(await stored(ids)).toEqual(ids))
  await eventually(async () => expect(await redis.xlen(captureStream.key)).toBe(0))
}

describe('the worker of captured exchanges', () => {
  it('stores entries that arrived before it started and later ones, and empties the stream', async () => {
    const early = await capture(3)
    startWorker()
    await expectStored(early)
    await expectStored(await capture(150))
    const group = await redis.xpending(captureStream.key, captureStream.group)
    expect(group[0]).toBe(0)
  })

  it('stores exchanges before the older ones of workspaces above their share', async () => {
    const ingested: string[] = []
    const flood = Array.from({ length: 200 }, (_, nth) => capturedExchange(index + 1 + nth))
    index += flood.length
    for (const each of flood) await addSealed([each], sealWith(newKey), captureStream.busyKey)
    const [usual] = await capture(1)
    startWorker('worker', (captured) => {
      ingested.push(...captured.map(({ meta }) => meta.requestId))
      return false
    })
    await expectStored([...flood.map(({ meta }) => meta.requestId), String(usual)].toSorted())
    expect(ingested.indexOf(String(usual))).toBe(0)
    expect(ingested).toHaveLength(201)
  })

  it('takes over the entries of a worker that died', async () => {
    startWorker('first')
    await expectStored(await capture(1))
    await undo.pop()?.()
    const ids = await capture(5)
    expect((await connectStream('dead').read()).flatMap(({ items }) => items)).toHaveLength(5)
    startWorker('second')
    await expectStored(ids)
  })

  it('stores an exchange once, however often it is delivered', async () => {
    startWorker()
    const ids = await capture(2)
    index -= 2
    await capture(2)
    await expectStored(ids)
    index -= 2
    await capture(2)
    await expectStored(ids)
  })

  it('loses and acknowledges nothing while Postgres is unavailable', async () => {
    startWorker()
    await expectStored(await capture(1))
    await postgres.refuse()
    const ids = await capture(5)
    await eventually(() => expect(events.filter(({ kind }) => kind === 'failed').length).toBeGreaterThan(3))
    expect(await redis.xlen(captureStream.key)).toBe(3)
    await postgres.restore()
    await expectStored(ids)
  })

  it('leaves entries that it cannot store to other workers when it is stopped', async () => {
    const worker = startWorker()
    await expectStored(await capture(1))
    await postgres.refuse()
    const ids = await capture(5)
    await eventually(() => expect(events.length).toBeGreaterThan(1))
    await worker.stop()
    await postgres.restore()
    startWorker('next')
    await expectStored(ids)
  })

  it.each([
    ['stops', () => redisProxy.refuse()],
    ['freezes', async () => redisProxy.freeze()],
  ])(
    'continues where it stopped after Redis %s',
    async (_name, fail) => {
      startWorker()
      await expectStored(await capture(1))
      await fail()
      const beforeMs = lastProgressMs
      const ids = await capture(5)
      await eventually(() => expect(events.filter(({ kind }) => kind === 'failed').length).toBeGreaterThan(0))
      expect(lastProgressMs - beforeMs).toBeLessThan(1_000)
      redisProxy.thaw()
      await redisProxy.restore()
      await expectStored(ids)
    },
    15_000,
  )

  it('creates its group again after Redis lost its data', async () => {
    startWorker()
    await expectStored(await capture(1))
    await redis.flushdb()
    await expectStored(await capture(3))
  })

  it('dead-letters unreadable entries and entries that are not exchanges, and continues', async () => {
    startWorker()
    const [{ meta, ...content }] = [capturedExchange(1)]
    const badFacts = { ...content, meta: { ...meta, workspaceId: 'none' } }
    await addSealed([badFacts])
    await redis.xadd(captureStream.key, '*', 'unknown', 'field')
    const broken = await capture(1, { reply: Buffer.from('{}') })
    await expectStored(await capture(2))
    expect(await stored(broken)).toEqual([])
    await eventually(async () => expect(await redis.xlen(deadLetters)).toBe(3))
    expect(await redis.ttl(deadLetters)).toBeGreaterThan(6 * 86_400)
  })

  it('stores entries of earlier releases, which are not sealed', async () => {
    startWorker()
    const { key, field } = unsealedCaptureStream
    const [before, earlier] = [1, 2].map((each) => capturedExchange(index + each)) as [
      CapturedExchange,
      CapturedExchange,
    ]
    index += 2
    await redis.xadd(key, '*', field, encodeCaptures([before]))
    const { meta, request, reply } = earlier
    await redis.xadd(key, '*', 'meta', JSON.stringify(meta), 'request', request, 'reply', reply)
    await expectStored([before.meta.requestId, meta.requestId])
    await eventually(async () => expect(await redis.xlen(key)).toBe(0))
  })

  it('stores entries of the key before', async () => {
    index += 1
    const exchange = capturedExchange(index)
    await addSealed([exchange], sealWith(oldKey))
    startWorker()
    await expectStored([exchange.meta.requestId])
  })

  it('dead-letters what it cannot open, with nothing that a client wrote', async () => {
    await redis.del(deadLetters)
    const texts = { tag: 'sk-proj-tag', traceId: 'sk-proj-trace', requestedModel: 'sk-proj-model' }
    index += 1
    const { meta, ...rest } = capturedExchange(index)
    const exchange = { ...rest, meta: { ...meta, ...texts } }
    await addSealed([exchange], sealWith(unknownKey))
    const moved = sealWith(newKey).seal(encodeCaptures([exchange]), 'another place')
    await redis.xadd(captureStream.key, '*', captureStream.field, moved)
    await addSealed([{ ...exchange, reply: Buffer.from('{}') }])
    startWorker()
    await eventually(async () => expect(await redis.xlen(deadLetters)).toBe(3))
    const entries = await redis.xrange(deadLetters, '-', '+')
    expect(entries.map(([, fields]) => fields[0])).toEqual(['unknown_key', 'not_authentic', 'request_id'])
    expect(JSON.stringify(entries)).not.toContain('sk-proj')
    expect(JSON.stringify(entries)).toContain(meta.requestId)
  })

  it('dead-letters an unreadable exchange once, while another of its entry cannot be stored', async () => {
    const entry = [1, 2, 3].map(() => {
      index += 1
      return capturedExchange(index)
    })
    const [good, bad, unstorable] = entry.map((exchange) => exchange.meta.requestId)
    const exchanges = entry.map((exchange, at) => (at === 1 ? { ...exchange, reply: Buffer.from('{}') } : exchange))
    startWorker('worker', (captured) => captured.some(({ meta }) => meta.requestId === unstorable))
    await redis.del(deadLetters)
    await addSealed(exchanges)
    await eventually(
      async () => {
        await capture(1)
        expect(await redis.xlen(deadLetters)).toBe(2)
      },
      { withinMs: 45_000, everyMs: 100 },
    )
    await eventually(async () => {
      const [unfinished] = await redis.xpending(captureStream.key, captureStream.group)
      expect([unfinished, await redis.xlen(deadLetters)]).toEqual([0, 2])
    })
    expect(await stored([good ?? '', bad ?? '', unstorable ?? ''])).toEqual([good])
  }, 20_000)

  it('leaves the group when it is stopped and has finished every entry', async () => {
    const worker = startWorker('leaving')
    await expectStored(await capture(1))
    await worker.stop()
    const consumers = await redis.xinfo('CONSUMERS', captureStream.key, captureStream.group)
    expect(JSON.stringify(consumers)).not.toContain('leaving')
  })
})
