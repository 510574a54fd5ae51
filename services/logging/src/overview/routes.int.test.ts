import type { Identity } from '@ratchet/contracts/identity'
import { logHistogram, logValues } from '@ratchet/contracts/log-overview'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { type TestApp, testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { unlimitedCuration } from '../datasets/curation-places.ts'
import { type LogDatabase, logDatabase } from '../exchanges/log-database.fixture.ts'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { createPgWorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { createPgExchangeCounts } from './pg-exchange-counts.ts'
import { overviewRoutes } from './routes.ts'

const at = new Date()
const later = (ms: number) => new Date(at.getTime() + ms)
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
const silent = '00000000-0000-7000-8000-0000000000cc'

let database: LogDatabase
let tested: TestApp

beforeAll(async () => {
  database = await logDatabase()
  await database.addWorkspace(workspaceId, 30)
  await database.addWorkspace(outsider, 30)
  await database.operator.query("INSERT INTO workspace VALUES ($1, 'silent', 'silent', now())", [silent])
  const { pool } = database
  const exchanges = createPgExchangeReads(pool)
  const deps = {
    exchanges,
    counts: createPgExchangeCounts(pool),
    workspaces: createPgWorkspaceReads(pool),
    now: () => at,
  }
  const datasets = {
    datasets: null as never,
    verdictsOf: async () => new Map(),
    curationPlaces: unlimitedCuration,
    slicedWork: createSlicedWork(),
    newId: () => crypto.randomUUID(),
  }
  tested = testApp({
    audience: 'logging',
    now: () => at,
    routes: (router) => overviewRoutes(router, { ...deps, ...datasets }),
  })
})
afterAll(() => database.drop())
beforeEach(() => database.pool.query('DELETE FROM exchange_block; DELETE FROM exchange'))

const store = (...fields: ExchangeFields[]) => storeExchanges(database.pool, { workspaceId, at }, fields)

function member(by: string): Identity {
  const session = { id: by, mayGrade: false, isFresh: false }
  return { workspaceId: by, userId: by, role: 'member', keyId: null, session }
}

function get(path: string, by: Identity = member(workspaceId)) {
  return request(tested.app)
    .get(path)
    .set(tested.headersFor('get', path, by))
}

const hour = `start=${later(-3_600_000).toISOString()}&end=${at.toISOString()}`

it('counts entries over time', async () => {
  await store({ createdAt: later(-3_000_000) }, { createdAt: later(-60_000) }, { createdAt: later(-60_000), tag: 'a' })
  const { status, body } = await get(`/session/logs/histogram?${hour}&buckets=2`)
  expect(status).toBe(200)
  expect(logHistogram.reply.parse(body)).toEqual({
    object: 'log.histogram',
    bucket_ms: 1_800_000,
    buckets: [
      { start: later(-3_600_000).toISOString(), count: 1 },
      { start: later(-1_800_000).toISOString(), count: 2 },
    ],
  })
  expect((await get(`/session/logs/histogram?${hour}&buckets=1&tag=a`)).body.buckets[0].count).toBe(1)
})

it('lists the values of a filter among the matches of the others', async () => {
  await store(
    { tag: 'a' },
    { tag: 'b', servedModel: 'm' },
    { tag: 'b', servedModel: 'm' },
    { tag: null, servedModel: 'm' },
  )
  const { body } = await get('/session/logs/facets?field=tag&model=m')
  expect(logValues.reply.parse(body)).toEqual({
    object: 'log.facets',
    field: 'tag',
    looked_at: 3,
    values: [{ value: 'b', count: 2 }],
  })
  expect((await get('/session/logs/facets?field=tag', member(outsider))).body.values).toEqual([])
})

it('previews a curation', async () => {
  await store({}, { finishReason: 'length' })
  const path = '/session/datasets/preview'
  const send = (by: Identity, body: object) =>
    request(tested.app)
      .post(path)
      .set(tested.headersFor('post', path, by))
      .send(body)
  const { status, body } = await send(member(workspaceId), { filters: {} })
  expect([status, body.dataset, body.summary.matched, body.summary.kept]).toEqual([200, null, 2, 1])
  expect(body.dropped_log_ids).toMatchObject({ truncated: [expect.stringMatching(/^log_/)], empty: [] })
  expect((await send(member(workspaceId), { verdict: 'pass' })).body.error).toMatchObject({ param: 'verdict' })
})

it.each([
  [
    'without a session',
    `/session/logs/histogram?${hour}`,
    { ...member(workspaceId), keyId: workspaceId, session: undefined },
    403,
  ],
  [
    'with an end before the start',
    '/session/logs/histogram?start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z',
    member(workspaceId),
    400,
  ],
  ['with too many parts', `/session/logs/histogram?${hour}&buckets=121`, member(workspaceId), 400],
  ['of an unknown field', '/session/logs/facets?field=words', member(workspaceId), 400],
  ['of a workspace that does not log', '/session/logs/facets?field=tag', member(silent), 409],
] as const)('refuses a call %s', async (_how, path, { session, ...by }, status) => {
  const identity: Identity = session === undefined ? by : { ...by, session }
  expect((await get(path, identity)).status).toBe(status)
})
