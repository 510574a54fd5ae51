import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgResponses } from './pg-responses.ts'
import { responsesContract } from './responses.contract.ts'
import { sweepResponses } from './sweep-responses.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_inference', max: 4 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

responsesContract('responses in postgres', () => createPgResponses({ pool }))

it('fails with service_unavailable when the database is unavailable', async () => {
  const nowhere = connectPool({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none', connectTimeoutMs: 500 })
  const key = { id: randomUUID(), workspaceId: randomUUID() }
  await expect(createPgResponses({ pool: nowhere }).get(key, new Date())).rejects.toMatchObject({
    code: 'service_unavailable',
    headers: { 'retry-after': '1' },
  })
  await nowhere.end()
})

it('sweeps more than fit into one statement', async () => {
  await pool.query(
    `INSERT INTO stored_response
     SELECT gen_random_uuid(), gen_random_uuid(), NULL, 'm', '2020-01-01', '2020-01-02', '[]', '{}', '{}', 4
     FROM generate_series(1, 1100)`,
  )
  expect(await sweepResponses(createPgResponses({ pool }), new Date('2020-01-03'))).toBe(1_100)
})
