import { LiveNotice, liveChannel } from '@ratchet/contracts/live-notice'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { Redis } from 'ioredis'
import { createLiveNotifier } from './live-notifier.ts'

let redis: FreshRedis
let stops: Stop[]
let errors: unknown[]
beforeEach(async () => {
  redis = await freshRedis()
  stops = []
  errors = []
})
afterEach(async () => {
  await runStops(stops, { error: () => undefined })
  await redis.drop()
})

const notice = { topic: 'round:rnd_1', id: 'rnd_1', version: 7 } as const
const connect = (redisUrl: string) =>
  createLiveNotifier({ redisUrl, onStop: (stop) => stops.push(stop), onError: (error) => errors.push(error) })

it('publishes what changed on the channel of the workspace', async () => {
  const subscriber = new Redis(redis.url)
  stops.push(async () => subscriber.disconnect())
  const received: unknown[] = []
  subscriber.on('message', (channel, text) => received.push([channel, LiveNotice.parse(JSON.parse(text))]))
  await subscriber.subscribe(liveChannel('w1'))
  const notify = connect(redis.url)
  // The connection is made in the background, and a notice before it is lost.
  await eventually(async () => {
    expect(await notify('w1', notice)).toBe(1)
    expect(received).toContainEqual(['ratchet:live:w1', notice])
  })
  expect(await notify('w2', notice)).toBe(0)
  expect(received.every((each) => (each as string[])[0] === 'ratchet:live:w1')).toBe(true)
})

it('fails no caller while Redis is unavailable', async () => {
  const notify = connect('redis://127.0.0.1:1')
  expect(await notify('w1', notice)).toBeNull()
  expect(errors.length).toBeGreaterThan(0)
})
