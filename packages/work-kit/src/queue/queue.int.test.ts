import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { z } from 'zod'
import { createJobQueue, keepSchedule, type QueueConnection, startQueueWorker } from './queue.ts'

const testQueue = { name: 'test-queue', payload: z.object({ id: z.string() }) } as const
const clock = { name: 'test-clock', payload: z.object({}) } as const

let redis: FreshRedis
let proxy: ChaosProxy
let stops: Stop[]
let errors: unknown[]

beforeEach(async () => {
  redis = await freshRedis()
  proxy = await startChaosProxy({ targetPort: Number(new URL(redis.url).port) })
  stops = []
  errors = []
})
afterEach(async () => {
  await proxy.restore()
  await runStops(stops, { error: () => undefined })
  await proxy.stop()
  await redis.drop()
})

function connection(): QueueConnection {
  const url = new URL(redis.url)
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  return { redisUrl: url.href, onStop: (stop) => stops.push(stop), onError: (error) => errors.push(error) }
}

function listen(): string[] {
  const received: string[] = []
  const handle = async ({ id }: { id: string }) => void received.push(id)
  startQueueWorker(testQueue, handle, { ...connection(), concurrency: 2, onProgress: () => undefined })
  return received
}

const enqueueOnce = async (jobs: ReturnType<typeof createJobQueue>, id: string) =>
  jobs.enqueue([{ payload: { id }, key: id }]).then(
    () => true,
    () => false,
  )

it('brings a job to a worker', async () => {
  const received = listen()
  const jobs = createJobQueue(testQueue, connection())
  await eventually(() => enqueueOnce(jobs, 'one'))
  await eventually(() => expect(received).toEqual(['one']))
})

it('keeps one of several waiting jobs with the same key', async () => {
  const jobs = createJobQueue(testQueue, connection())
  await eventually(() => enqueueOnce(jobs, 'one'))
  await enqueueOnce(jobs, 'one')
  await enqueueOnce(jobs, 'two')
  const received = listen()
  await eventually(() => expect(received.toSorted()).toEqual(['one', 'two']))
})

it('accepts a key again after its job was processed', async () => {
  const received = listen()
  const jobs = createJobQueue(testQueue, connection())
  await eventually(() => enqueueOnce(jobs, 'one'))
  await eventually(() => expect(received).toEqual(['one']))
  await eventually(async () => (await enqueueOnce(jobs, 'one')) && received.length > 1)
})

it('fails fast while Redis is unavailable, from the start or later, and works once Redis is back', async () => {
  await proxy.refuse()
  const jobs = createJobQueue(testQueue, connection())
  const startedAt = performance.now()
  expect(await enqueueOnce(jobs, 'early')).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(1_500)
  await proxy.restore()
  await eventually(() => enqueueOnce(jobs, 'one'), { withinMs: 45_000 })
  await proxy.refuse()
  await eventually(async () => !(await enqueueOnce(jobs, 'lost')), { withinMs: 45_000 })
  await proxy.restore()
  const received = listen()
  await eventually(() => enqueueOnce(jobs, 'two'), { withinMs: 45_000 })
  await eventually(() => expect(received).toEqual(expect.arrayContaining(['one', 'two'])), { withinMs: 45_000 })
}, 40_000)

it('drops a job with an invalid payload, and continues', async () => {
  const jobs = createJobQueue({ ...testQueue, payload: z.object({ id: z.unknown() }) }, connection())
  const received = listen()
  await eventually(() => jobs.enqueue([{ payload: { id: 7 }, key: 'bad' }]).then(() => true))
  await eventually(() => expect(String(errors.at(-1))).toContain('bad test-queue job'))
  await jobs.enqueue([{ payload: { id: 'good' }, key: 'good' }])
  await eventually(() => expect(received).toEqual(['good']))
})

it('continues after a handler that throws', async () => {
  const received: string[] = []
  const handle = async ({ id }: { id: string }) => {
    received.push(id)
    if (id === 'bad') throw new Error('it broke')
  }
  startQueueWorker(testQueue, handle, { ...connection(), concurrency: 1, onProgress: () => undefined })
  const jobs = createJobQueue(testQueue, connection())
  await eventually(() => enqueueOnce(jobs, 'bad'))
  await enqueueOnce(jobs, 'good')
  await eventually(() => expect(received).toEqual(['bad', 'good']))
  expect(errors.map(String)).toContain('Error: it broke')
})

it('runs a schedule once for all processes that set it', async () => {
  let ticks = 0
  const tick = async () => void ticks++
  startQueueWorker(clock, tick, { ...connection(), concurrency: 1, onProgress: () => undefined })
  for (let each = 0; each < 3; each += 1) keepSchedule(clock, { ...connection(), everyMs: 300 })
  const startedAt = performance.now()
  await eventually(() => ticks >= 5, { withinMs: 45_000 })
  const perTick = (performance.now() - startedAt) / ticks
  expect(perTick).toBeGreaterThan(200)
}, 20_000)

it.each(['is unavailable', 'returned a moment ago'])(
  'stops within seconds while Redis %s',
  async (state) => {
    const received = listen()
    const jobs = createJobQueue(testQueue, connection())
    await eventually(() => enqueueOnce(jobs, 'one'))
    await eventually(() => expect(received).toEqual(['one']))
    await proxy.refuse()
    await eventually(() => expect(errors.filter(isRefused).length).toBeGreaterThan(8), { withinMs: 45_000 })
    if (state === 'returned a moment ago') await proxy.restore()
    const startedAt = performance.now()
    await runStops(stops, { error: () => undefined })
    // A worker that has just reconnected may begin to read once more, for five seconds.
    expect(performance.now() - startedAt).toBeLessThan(8_000)
  },
  40_000,
)

function isRefused(error: unknown): boolean {
  return (error as { code?: string }).code === 'ECONNREFUSED'
}
