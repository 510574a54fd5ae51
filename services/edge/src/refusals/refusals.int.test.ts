import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgRefusals } from './pg-refusals.ts'
import { createRefusalCounts } from './refusal-counts.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_edge', max: 2 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const at = new Date('2026-11-24T12:34:56Z')

async function stored(workspaceId: string) {
  const text =
    'SELECT hour, cause, count, last_request_id FROM edge_refusal_hour WHERE workspace_id = $1 ORDER BY cause'
  return (await pool.query(text, [workspaceId])).rows
}

it('counts refusals of a known caller by hour and cause, over several edges', async () => {
  const workspaceId = randomUUID()
  const store = createPgRefusals(pool)
  const edges = [createRefusalCounts(store, fail), createRefusalCounts(store, fail)]
  const last = randomUUID()
  const codes = [
    'unknown_url',
    'method_not_allowed',
    'insufficient_permissions',
    'request_too_large',
    'abuse_guard',
  ] as const
  for (const edge of edges) {
    for (const code of codes) edge.note(new ServiceError(code, 'No.'), { workspaceId, requestId: last, at })
    edge.note(new ServiceError('service_unavailable', 'Down.'), { workspaceId, requestId: last, at })
    edge.note(new Error('a bug'), { workspaceId, requestId: last, at })
  }
  await Promise.all(edges.map((edge) => edge.flush()))
  await Promise.all(edges.map((edge) => edge.flush()))
  const of = (cause: string, count: string) => ({
    hour: new Date('2026-11-24T12:00:00Z'),
    cause,
    count,
    last_request_id: last,
  })
  expect(await stored(workspaceId)).toEqual([
    of('abuse_guard', '2'),
    of('invalid_request', '4'),
    of('not_permitted', '2'),
    of('too_large', '2'),
  ])
})

it('keeps what could not be stored for the next flush', async () => {
  const workspaceId = randomUUID()
  const store = createPgRefusals(pool)
  let isDown = true
  const lost: unknown[] = []
  const edge = createRefusalCounts(
    { add: (counts) => (isDown ? Promise.reject(new Error('down')) : store.add(counts)) },
    (cause) => void lost.push(cause),
  )
  const note = () => edge.note(new ServiceError('unknown_url', 'No.'), { workspaceId, requestId: randomUUID(), at })
  note()
  await edge.flush()
  note()
  isDown = false
  await edge.flush()
  expect(lost.length).toBe(1)
  expect((await stored(workspaceId))[0]).toMatchObject({ count: '2' })
})

it('removes counts of past quarters', async () => {
  const workspaceId = randomUUID()
  const edge = createRefusalCounts(createPgRefusals(pool), fail)
  const old = { workspaceId, requestId: randomUUID(), at: new Date('2026-01-01T00:00:00Z') }
  edge.note(new ServiceError('unknown_url', 'No.'), old)
  await edge.flush()
  await createPgRefusals(pool).prune()
  expect(await stored(workspaceId)).toEqual([])
})

function fail(cause: unknown): never {
  throw cause
}
