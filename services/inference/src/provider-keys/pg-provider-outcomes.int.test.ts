import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createOutcomeCounts } from '../outcomes/count-outcomes.ts'
import { createPgOutcomes } from '../outcomes/pg-outcomes.ts'
import { createPgProviderOutcomes } from './pg-provider-outcomes.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_inference', max: 2 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const now = new Date()

it('counts the requests of a workspace by provider, without those of the cache, of others and of before', async () => {
  const [own, other] = [randomUUID(), randomUUID()]
  const counts = createOutcomeCounts(() => undefined)
  const facts = { keyId: null, model: 'm', provider: 'acme', tag: null, alias: null, latencyMs: 5 } as const
  const failure = { traceId: null, upstreamStatus: 503, tries: 1, errorCode: 'x', message: 'It failed.' } as const
  const request = (workspaceId: string, at: Date) => ({ ...facts, requestId: uuidV7(now.getTime()), workspaceId, at })
  counts.ended({ ...request(own, now), outcome: 'answered' })
  counts.ended({ ...request(own, now), outcome: 'answered', provider: 'idle' })
  counts.ended({ ...request(own, now), outcome: 'cached' })
  counts.failed({ ...request(own, now), ...failure, outcome: 'provider_down' })
  counts.ended({ ...request(own, new Date(now.getTime() - 9 * dayMs)), outcome: 'answered' })
  counts.ended({ ...request(other, now), outcome: 'answered' })
  await createPgOutcomes(pool).add({ ...counts.take(), reporter: randomUUID(), number: 1 })
  const found = await createPgProviderOutcomes(pool).ofWorkspace(own, new Date(now.getTime() - 7 * dayMs))
  expect(found).toEqual(
    new Map([
      ['acme', 2],
      ['idle', 1],
    ]),
  )
})
