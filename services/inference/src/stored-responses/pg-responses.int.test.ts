import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgResponses } from './pg-responses.ts'
import { responsesContract } from './responses.contract.ts'
import { sweepResponses } from './sweep-responses.ts'

let database: FreshDatabase
let pool: Pool
let operator: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_inference', max: 4 })
  operator = connectPool({ databaseUrl: database.url, max: 1 })
})
afterAll(async () => {
  await Promise.all([pool.end(), operator.end()])
  await database.drop()
})

responsesContract('responses in postgres', () => createPgResponses({ pool, silenceMs: 5_000 }))

it('fails with service_unavailable when the database is unavailable', async () => {
  const nowhere = connectPool({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none', connectTimeoutMs: 500 })
  const key = { id: randomUUID(), workspaceId: randomUUID() }
  await expect(createPgResponses({ pool: nowhere }).find(key, new Date())).rejects.toMatchObject({
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
  expect(await sweepResponses(createPgResponses({ pool, silenceMs: 5_000 }), new Date('2020-01-03'))).toBe(1_100)
})

it('counts what a workspace stores, refuses it beyond the quota, and gives it back when it is deleted or expires', async () => {
  const workspaceId = randomUUID()
  const quota = 1_024 ** 3
  await operator.query(`INSERT INTO workspace VALUES ($1, $2, 'W', now())`, [workspaceId, `w-${workspaceId}`])
  await operator.query('INSERT INTO workspace_settings (workspace_id, max_storage_gb) VALUES ($1, 1)', [workspaceId])
  await operator.query(`INSERT INTO stored_bytes VALUES ($1, 'infinity', $2)`, [workspaceId, quota - 3_000])
  const free = async () => {
    const text = 'SELECT sum(bytes)::float8 AS bytes FROM stored_bytes WHERE workspace_id = $1'
    const { rows } = await operator.query<{ bytes: number }>(text, [workspaceId])
    return quota - (rows[0]?.bytes ?? 0)
  }
  const store = createPgResponses({ pool, silenceMs: 5_000 })
  const at = new Date('2020-02-01')
  const expiresAt = new Date('2020-02-02')
  const put = async () => {
    const id = randomUUID()
    const texts = { inputItems: '[]', reply: `"${'x'.repeat(1_996)}"`, itemIds: [] }
    await store.put({
      id,
      workspaceId,
      previousId: null,
      model: 'm',
      createdAt: at,
      expiresAt,
      ...texts,
      isUnlogged: false,
    })
    return { id, workspaceId }
  }
  const first = await put()
  expect(await free()).toBe(1_000)
  await expect(put()).rejects.toMatchObject({ code: 'quota_exceeded' })
  expect(await free()).toBe(1_000)
  await store.delete(first, at)
  expect(await free()).toBe(3_000)
  await put()
  expect(await sweepResponses(store, expiresAt)).toBe(1)
  expect(await free()).toBe(3_000)
})
