import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { z } from 'zod'
import { createDoorbell, keepSchedule, type QueueConnection, startQueueWorker } from './queue.ts'
import { runStops, type Stop } from './run-process.ts'

const bell = { name: 'test-bell', payload: z.object({ id: z.string() }) } as const
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
  startQueueWorker(bell, handle, { ...connection(), concurrency: 2, onProgress: () => undefined })
  return heard
}

const ringOnce = async (ring: ReturnType<typeof createDoorbell>, id: string) =>
  ring.ring([{ payload: { id }, key: id }]).then(
    () => true,
    () => false,
  )

it('brings a ring to a worker', async () => {
  const heard = listen()
  const doorbell = createDoorbell(bell, connection())
  await eventually(() => ringOnce(doorbell, 'one'))
  await eventually(() => expect(heard).toEqual(['one']))
})

it('keeps rings with one key as one while nobody hears them', async () => {
  const doorbell = createDoorbell(bell, connection())
  await eventually(() => ringOnce(doorbell, 'one'))
  await ringOnce(doorbell, 'one')
  await ringOnce(doorbell, 'two')
  const heard = listen()
  await eventually(() => expect(heard.toSorted()).toEqual(['one', 'two']))
})

it('rings again for what was heard before', async () => {
  const heard = listen()
  const doorbell = createDoorbell(bell, connection())
  await eventually(() => ringOnce(doorbell, 'one'))
  await eventually(() => expect(heard).toEqual(['one']))
  await eventually(async () => (await ringOnce(doorbell, 'one')) && heard.length > 1)
})

it('fails soon while Redis is away, from the start or later, and rings once it is back', async () => {
  await proxy.refuse()
  const doorbell = createDoorbell(bell, connection())
  const startedAt = performance.now()
  expect(await ringOnce(doorbell, 'early')).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(1_500)
  await proxy.restore()
  await eventually(() => ringOnce(doorbell, 'one'), { withinMs: 10_000 })
  await proxy.refuse()
  await eventually(async () => !(await ringOnce(doorbell, 'lost')), { withinMs: 10_000 })
  await proxy.restore()
  const heard = listen()
  await eventually(() => ringOnce(doorbell, 'two'), { withinMs: 10_000 })
  await eventually(() => expect(heard).toEqual(expect.arrayContaining(['one', 'two'])), { withinMs: 10_000 })
}, 40_000)

it('leaves what carries no payload alone, and goes on', async () => {
  const doorbell = createDoorbell({ ...bell, payload: z.object({ id: z.unknown() }) }, connection())
  const heard = listen()
  await eventually(() => doorbell.ring([{ payload: { id: 7 }, key: 'bad' }]).then(() => true))
  await eventually(() => expect(String(errors.at(-1))).toContain('bad test-bell job'))
  await doorbell.ring([{ payload: { id: 'good' }, key: 'good' }])
  await eventually(() => expect(heard).toEqual(['good']))
})

it('goes on after a handler that throws', async () => {
  const heard: string[] = []
  const handle = async ({ id }: { id: string }) => {
    heard.push(id)
    if (id === 'bad') throw new Error('it broke')
  }
  startQueueWorker(bell, handle, { ...connection(), concurrency: 1, onProgress: () => undefined })
  const doorbell = createDoorbell(bell, connection())
  await eventually(() => ringOnce(doorbell, 'bad'))
  await ringOnce(doorbell, 'good')
  await eventually(() => expect(heard).toEqual(['bad', 'good']))
  expect(errors.map(String)).toContain('Error: it broke')
})

it('keeps a schedule that several keep, once for all of them', async () => {
  let ticks = 0
  const tick = async () => void ticks++
  startQueueWorker(clock, tick, { ...connection(), concurrency: 1, onProgress: () => undefined })
  for (let keeper = 0; keeper < 3; keeper += 1) keepSchedule(clock, { ...connection(), everyMs: 300 })
  const startedAt = performance.now()
  await eventually(() => ticks >= 5, { withinMs: 15_000 })
  const perTick = (performance.now() - startedAt) / ticks
  expect(perTick).toBeGreaterThan(200)
}, 20_000)
