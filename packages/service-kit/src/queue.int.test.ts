import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { z } from 'zod'
import { createJobQueue, keepSchedule, type QueueConnection, startQueueWorker } from './queue.ts'
import { runStops, type Stop } from './run-process.ts'

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
  const heard: string[] = []
  const handle = async ({ id }: { id: string }) => void heard.push(id)
  startQueueWorker(testQueue, handle, { ...connection(), concurrency: 2, onProgress: () => undefined })
  return heard
}

const ringOnce = async (ring: ReturnType<typeof createJobQueue>, id: string) =>
  ring.enqueue([{ payload: { id }, key: id }]).then(
    () => true,
    () => false,
  )

it('brings a ring to a worker', async () => {
  const heard = listen()
  const jobs = createJobQueue(testQueue, connection())
  await eventually(() => ringOnce(jobs, 'one'))
  await eventually(() => expect(heard).toEqual(['one']))
})

it('keeps rings with one key as one while nobody hears them', async () => {
  const jobs = createJobQueue(testQueue, connection())
  await eventually(() => ringOnce(jobs, 'one'))
  await ringOnce(jobs, 'one')
  await ringOnce(jobs, 'two')
  const heard = listen()
  await eventually(() => expect(heard.toSorted()).toEqual(['one', 'two']))
})

it('rings again for what was heard before', async () => {
  const heard = listen()
  const jobs = createJobQueue(testQueue, connection())
  await eventually(() => ringOnce(jobs, 'one'))
  await eventually(() => expect(heard).toEqual(['one']))
  await eventually(async () => (await ringOnce(jobs, 'one')) && heard.length > 1)
})

it('fails soon while Redis is away, from the start or later, and rings once it is back', async () => {
  await proxy.refuse()
  const jobs = createJobQueue(testQueue, connection())
  const startedAt = performance.now()
  expect(await ringOnce(jobs, 'early')).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(1_500)
  await proxy.restore()
  await eventually(() => ringOnce(jobs, 'one'), { withinMs: 10_000 })
  await proxy.refuse()
  await eventually(async () => !(await ringOnce(jobs, 'lost')), { withinMs: 10_000 })
  await proxy.restore()
  const heard = listen()
  await eventually(() => ringOnce(jobs, 'two'), { withinMs: 10_000 })
  await eventually(() => expect(heard).toEqual(expect.arrayContaining(['one', 'two'])), { withinMs: 10_000 })
}, 40_000)

it('leaves what carries no payload alone, and goes on', async () => {
  const jobs = createJobQueue({ ...testQueue, payload: z.object({ id: z.unknown() }) }, connection())
  const heard = listen()
  await eventually(() => jobs.enqueue([{ payload: { id: 7 }, key: 'bad' }]).then(() => true))
  await eventually(() => expect(String(errors.at(-1))).toContain('bad test-queue job'))
  await jobs.enqueue([{ payload: { id: 'good' }, key: 'good' }])
  await eventually(() => expect(heard).toEqual(['good']))
})

it('goes on after a handler that throws', async () => {
  const heard: string[] = []
  const handle = async ({ id }: { id: string }) => {
    heard.push(id)
    if (id === 'bad') throw new Error('it broke')
  }
  startQueueWorker(testQueue, handle, { ...connection(), concurrency: 1, onProgress: () => undefined })
  const jobs = createJobQueue(testQueue, connection())
  await eventually(() => ringOnce(jobs, 'bad'))
  await ringOnce(jobs, 'good')
  await eventually(() => expect(heard).toEqual(['bad', 'good']))
  expect(errors.map(String)).toContain('Error: it broke')
})

it('keeps a schedule that several keep, once for all of them', async () => {
  let ticks = 0
  const tick = async () => void ticks++
  startQueueWorker(clock, tick, { ...connection(), concurrency: 1, onProgress: () => undefined })
  for (let completionHook = 0; completionHook < 3; completionHook += 1)
    keepSchedule(clock, { ...connection(), everyMs: 300 })
  const startedAt = performance.now()
  await eventually(() => ticks >= 5, { withinMs: 15_000 })
  const perTick = (performance.now() - startedAt) / ticks
  expect(perTick).toBeGreaterThan(200)
}, 20_000)
