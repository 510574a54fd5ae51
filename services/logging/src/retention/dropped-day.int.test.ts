import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { type LoggingService, startLoggingService } from '../logging-service.fixture.ts'
import { logIdOf } from '../logs/log-id.ts'
import { createPgExchangeRetention } from './pg-exchange-retention.ts'
import { sweepLog } from './pg-retention.ts'

let service: LoggingService
let pool: Pool
/** An entry of a day that is over, one that expires in a week, and an id that never existed. */
let dropped: string
let present: string
const missing = logIdOf('00000000-0000-7000-8000-00000000dead')

beforeAll(async () => {
  service = await startLoggingService()
  pool = connectPool({ databaseUrl: service.databaseUrl, role: 'ratchet_logging', max: 2 })
  const at = new Date()
  const entry = (expiresInDays: number, name: string) => ({
    createdAt: new Date(at.getTime() - 10 * dayMs),
    expiresAt: new Date(at.getTime() + expiresInDays * dayMs),
    segment: `seg-${name}`,
    traceId: `trace-${name}`,
    tag: name,
  })
  const scope = { workspaceId: service.workspaceId, at }
  const ids = await storeExchanges(pool, scope, [entry(-1, 'dropped'), entry(7, 'present')])
  ;[dropped = '', present = ''] = ids.map(logIdOf)
}, 60_000)
afterAll(async () => {
  await pool?.end()
  await service?.stop()
}, 60_000)

/** Status and body of a request, with the id replaced that the request names. */
async function seen(method: string, path: string, id: string): Promise<readonly [number, string]> {
  const answer = await service.send({ method, path: path.replace(':id', id) })
  const body = (await answer.text()).replaceAll(id, '<id>')
  return [answer.status, body.replace(/"request_id":"[^"]*"/, '')]
}

const requests: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/v1/logs/:id'],
  ['DELETE', '/v1/logs/:id'],
  ['GET', '/v1/logs?after=:id'],
]
const traceRequests = ['/v1/traces/:id', '/v1/traces/:id/export', '/v1/logs?trace_id=:id'] as const

async function looksMissing(): Promise<void> {
  for (const [method, path] of requests) {
    expect([path, await seen(method, path, dropped)]).toEqual([path, await seen(method, path, missing)])
  }
  for (const path of traceRequests) {
    const found = await seen('GET', path, 'trace-dropped')
    expect([path, found]).toEqual([path, await seen('GET', path, 'trace-missing')])
  }
  expect((await seen('GET', '/v1/logs/:id', dropped))[0]).toBe(404)
  expect((await seen('GET', '/v1/traces/:id', 'trace-dropped'))[0]).toBe(404)
}

/** Everything that lists or counts entries, as one text. */
async function listed(): Promise<string> {
  const paths = ['/v1/logs?limit=200', '/v1/logs/export', '/v1/logs/segments', '/v1/traces']
  const bodies = paths.map(async (path) => (await service.send({ path })).text())
  return (await Promise.all(bodies)).join('\n')
}

it('an entry that has expired looks like one that never existed, before its day is dropped', async () => {
  await looksMissing()
  const all = await listed()
  expect(all).toContain('present')
  expect(all).toContain(present)
  expect(all).not.toContain(dropped)
})

it('an entry whose day was dropped is found nowhere, and nothing of it is left', async () => {
  const count = () => countRows(service.operator)
  expect(await count()).toMatchObject({ exchange: 2, exchange_block: 2, segment_traffic: 2, trace_traffic: 2 })
  const report = await sweepLog(pool, createPgExchangeRetention(pool), new Date())
  expect(report?.droppedPartitions).toBeGreaterThan(0)
  await looksMissing()
  expect(await listed()).not.toContain('dropped')
  expect(await count()).toEqual({
    exchange: 1,
    exchange_block: 1,
    exchange_content: 0,
    segment_traffic: 1,
    segment_variant: 1,
    trace_traffic: 1,
  })
  expect((await seen('GET', '/v1/logs/:id', present))[0]).toBe(200)
})

async function countRows(operator: Pool): Promise<Readonly<Record<string, number>>> {
  const tables = [
    ...['exchange', 'exchange_block', 'exchange_content'],
    ...['segment_traffic', 'segment_variant', 'trace_traffic'],
  ]
  const counts = tables.map(async (table): Promise<readonly [string, number]> => {
    const { rows } = await operator.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`)
    return [table, rows[0]?.count ?? -1]
  })
  return Object.fromEntries(await Promise.all(counts))
}
