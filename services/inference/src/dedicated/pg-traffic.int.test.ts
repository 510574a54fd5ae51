import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgTraffic } from './pg-traffic.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
let operator: Pool
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 1 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_inference', max: 1 })
})
afterAll(async () => {
  await Promise.all([operator.end(), pool.end()])
  await database.drop()
})

const [endpointId, workspaceId, reporter] = [randomUUID(), randomUUID(), randomUUID()]
const now = () => new Date()
const running = () => ({ [endpointId]: 2 })
const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString()
const counts = { endpointId, workspaceId, minute, requests: 2, errors: 1, tokens: 30, waits: {} }

it('keeps what runs now, and adds up what ended', async () => {
  const store = createPgTraffic(pool, now)
  const ago = new Date(now().getTime() - 60_000)
  const traffic = { endpointId, workspaceId, running: 2, waiting: 1, lastRequestAt: now() }
  const first = [{ ...counts, ttft: { '10': 1, '12': 1 } }]
  await store.add({ reporter, running, traffic: [traffic], minutes: first })
  const older = { ...traffic, running: 0, waiting: 0, lastRequestAt: ago }
  await store.add({ reporter, running: () => ({}), traffic: [older], minutes: [{ ...counts, ttft: { '12': 2 } }] })
  const { rows } = await operator.query('SELECT *, now() - last_request_at AS ago FROM dedicated_traffic')
  expect(rows).toMatchObject([{ endpoint_id: endpointId, running: 0, waiting: 0, by_replica: {} }])
  expect(rows[0].ago.minutes ?? 0).toBe(0)
  const { rows: minutes } = await operator.query('SELECT * FROM dedicated_minute')
  const sums = { requests: 4, errors: 2, tokens: '60', ttft_buckets: { '10': 1, '12': 3 }, wait_buckets: {} }
  expect(minutes).toMatchObject([sums])
})

it('deletes what is older than a week', async () => {
  await operator.query(`UPDATE dedicated_minute SET minute = now() - interval '9 days'`)
  await operator.query(`UPDATE dedicated_traffic SET reported_at = now() - interval '9 days'`)
  await createPgTraffic(pool, now).sweep()
  const { rows } = await operator.query(
    'SELECT (SELECT count(*) FROM dedicated_minute)::int AS minutes, (SELECT count(*) FROM dedicated_traffic)::int AS traffic',
  )
  expect(rows).toEqual([{ minutes: 0, traffic: 0 }])
})
