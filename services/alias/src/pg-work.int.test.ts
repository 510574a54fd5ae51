import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { readWork } from './pg-work.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_alias', max: 2 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** Inserts rows without the rows that they refer to. */
async function insertUnchecked(...statements: readonly [string, readonly unknown[]][]) {
  const operator = connectPool({ databaseUrl: database.url, max: 1 })
  await operator.query('SET session_replication_role = replica')
  for (const [text, values] of statements) await operator.query(text, [...values])
  await operator.end()
}

const addWebhook = `
  INSERT INTO webhook (id, workspace_id, url, events, ciphertext, nonce, key_id, enabled, created_by, created_at, updated_at)
  VALUES ($1, $1, 'https://example.com', ARRAY['alias.changed'], '', '', 'k1', $2, $1, now(), now())`
const addDelivery = `
  INSERT INTO webhook_delivery (id, webhook_id, event_id, status, due_at, deadline, created_at)
  VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'pending', now() - interval '50 seconds', now(), now())`

it('counts deliveries to enabled webhooks, and reports zeros when there are no shadow requests', async () => {
  const [enabled, disabled] = [randomUUID(), randomUUID()]
  await insertUnchecked(
    [addWebhook, [enabled, true]],
    [addWebhook, [disabled, false]],
    [addDelivery, [enabled]],
    [addDelivery, [disabled]],
  )

  const [shadows, deliveries] = await readWork(pool)

  expect(shadows).toEqual({ queue: 'shadow', unfinished: 0, leased: 0, deadLettered: 0, oldestPendingSeconds: 0 })
  expect(deliveries).toMatchObject({ queue: 'webhook-delivery', unfinished: 1, leased: null, deadLettered: null })
  expect(deliveries?.oldestPendingSeconds).toBeGreaterThanOrEqual(50)
})
