import { randomUUID } from 'node:crypto'
import { LiveNotice, liveChannel } from '@ratchet/contracts/live-notice'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { Redis } from 'ioredis'
import { type LoggingService, startLoggingService } from '../logging-service.fixture.ts'
import { otlpRequest, traceId } from '../traces/otlp/otlp-request.fixture.ts'

let redis: FreshRedis
let subscriber: Redis
let service: LoggingService
let topics: string[]

beforeAll(async () => {
  redis = await freshRedis()
  subscriber = new Redis(redis.url)
  service = await startLoggingService({ REDIS_URL: redis.url })
  subscriber.on('message', (_channel, text) => topics.push(LiveNotice.parse(JSON.parse(text)).topic))
  await subscriber.subscribe(liveChannel(service.workspaceId))
}, 60_000)
beforeEach(() => {
  topics = []
})
afterAll(async () => {
  await service?.stop()
  subscriber.disconnect()
  await redis.drop()
})

const entry = (more: object) =>
  JSON.stringify({
    model: 'acme/fast',
    messages: [{ role: 'user', content: 'Mail' }],
    response: { role: 'assistant', content: 'Folder' },
    ...more,
  })

async function post(path: string, body: string | object, headers = {}): Promise<void> {
  const answer = await service.send({ method: 'POST', path, body, headers })
  expect(answer.status).toBe(200)
}

const jsonl = { 'content-type': 'application/jsonl' }

it('notifies open pages about stored entries and the traces they belong to, not about those that were stored before', async () => {
  // The connection is made in the background, and a notice before it is lost.
  await eventually(async () => {
    await post('/v1/logs/import', entry({ id: `log_${randomUUID().replaceAll('-', '')}`, trace_id: 'run-1' }), jsonl)
    expect(topics).toEqual(expect.arrayContaining(['logs', 'trace:run-1']))
  })
  const known = entry({ id: 'log_0123456789abcdef0123456789abcdef', trace_id: 'run-2' })
  await post('/v1/logs/import', known, jsonl)
  await eventually(() => topics.includes('trace:run-2'))
  const seen = topics.filter((topic) => topic === 'trace:run-2').length
  await post('/v1/logs/import', known, jsonl)
  await post('/v1/logs/import', entry({ trace_id: 'run-3' }), jsonl)
  await eventually(() => topics.includes('trace:run-3'))
  expect(topics.filter((topic) => topic === 'trace:run-2')).toHaveLength(seen)
})

it('notifies the page of a run of spans that are no model calls', async () => {
  await post('/v1/traces', otlpRequest([{ name: 'tool', startMs: Date.now() - 1_000 }]))
  await eventually(() => topics.includes(`trace:${traceId}`))
})
