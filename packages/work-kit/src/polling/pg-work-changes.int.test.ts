import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { listenForWork } from './pg-work-changes.ts'

let database: FreshDatabase
let proxy: ChaosProxy
let operator: Pool
let stops: Stop[] = []

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 1 })
  proxy = await startChaosProxy({ targetPort: Number(new URL(database.url).port) })
})
afterEach(async () => {
  await proxy.restore()
  await runStops(stops, silentLogger)
  stops = []
})
afterAll(async () => {
  await proxy.stop()
  await operator.end()
  await database.drop()
})

/** Listens as the worker of aliases, through the proxy. */
async function start() {
  const url = new URL(database.url)
  url.host = `127.0.0.1:${proxy.port}`
  const pool = connectPool({ databaseUrl: url.href, role: 'ratchet_alias', max: 1, queryTimeoutMs: 300 })
  stops.push(() => pool.end())
  const seen = { changes: 0 }
  const changes = listenForWork({
    pool,
    lifecycle: { onStop: (stop) => void stops.push(stop) },
    logger: silentLogger,
    checkEveryMs: 100,
  })
  changes.onChange(() => {
    seen.changes += 1
  })
  await eventually(() => expect(changes.isListening()).toBe(true))
  return { changes, seen }
}

const alias = `INSERT INTO workspace VALUES (gen_random_uuid(), gen_random_uuid()::text, 'W', now());
  INSERT INTO alias (id, workspace_id, name, target_model, epoch_started_at, look_due_at, created_by, created_at, updated_at,
    updated_by)
  SELECT gen_random_uuid(), id, 'bot-' || left(id::text, 8), 'sim/small', now(), now() + interval '1 hour', gen_random_uuid(),
    now(), now(), 'a' FROM workspace`

it('announces that it listens, and work that is due', async () => {
  const { seen } = await start()
  expect(seen.changes).toBe(1)
  await operator.query(alias)
  await eventually(() => expect(seen.changes).toBe(2))

  await operator.query("UPDATE alias SET look_due_at = now() + interval '2 hours'")
  await operator.query('UPDATE alias SET look_due_at = now()')
  await eventually(() => expect(seen.changes).toBe(3))
})

it('listens again when the connection ended, and announces what it may have missed', async () => {
  const { seen } = await start()
  await operator.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'",
  )
  await eventually(() => expect(seen.changes).toBe(2))
})

it('notices that the database does not answer', async () => {
  const { changes, seen } = await start()
  proxy.freeze()
  await eventually(() => expect(changes.isListening()).toBe(false))
  await proxy.restore()
  await eventually(() => expect([changes.isListening(), seen.changes]).toEqual([true, 2]))
})
