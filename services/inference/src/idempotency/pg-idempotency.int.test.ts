import { randomBytes, randomUUID } from 'node:crypto'
import { connectPool } from '@ratchet/db/connect-pool'
import { startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { idempotencyContract } from './idempotency.contract.ts'
import { IdempotencyUnavailable } from './idempotency.ts'
import { createPgIdempotencyStore } from './pg-idempotency.ts'
import { sweepIdempotency } from './pg-idempotency-sweeper.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

const patient = { silenceMs: 5_000, statementTimeoutMs: 10_000 }
const question = () => ({ workspaceId: randomUUID(), key: 'k', fingerprint: randomBytes(32) })

idempotencyContract('idempotency in postgres', async (maxFreeBytes) => {
  const { pool, operator } = database
  await operator.query('DELETE FROM idempotency_record')
  return {
    store: createPgIdempotencyStore({ pool, maxFreeBytes, ...patient }),
    async endLeases() {
      await operator.query(
        "UPDATE idempotency_record SET lease_until = now() - interval '1 ms' WHERE state = 'running'",
      )
    },
    async pass(ms) {
      await operator.query("UPDATE idempotency_record SET expires_at = expires_at - $1 * interval '1 millisecond'", [
        ms,
      ])
    },
    sweep: () => sweepIdempotency({ pool }),
  }
})

it('gives a claim its lease by the clock of the database', async () => {
  const store = createPgIdempotencyStore({ pool: database.pool, leaseMs: 30_000, ...patient })
  const asked = question()
  await store.claim(asked)
  const { rows } = await database.operator.query(
    'SELECT extract(epoch FROM lease_until - now()) AS seconds FROM idempotency_record WHERE workspace_id = $1',
    [asked.workspaceId],
  )
  expect(Number(rows[0].seconds)).toBeGreaterThan(25)
  expect(Number(rows[0].seconds)).toBeLessThanOrEqual(30.001) // the database rounds to milliseconds
})

it('sweeps chunk by chunk, beside other sweeps', async () => {
  const { pool, operator } = database
  await operator.query('DELETE FROM idempotency_record')
  await operator.query(`
    INSERT INTO idempotency_record (workspace_id, key_hash, fingerprint, state, generation, lease_until, expires_at)
    SELECT gen_random_uuid(), sha256(n::text::bytea), sha256(''), 'running', n, now(), now() + (n - 1000) * interval '1 hour'
    FROM generate_series(1, 1234) AS n`)
  const swept = await Promise.all([1, 2, 3].map(() => sweepIdempotency({ pool, chunk: 100 })))
  expect(swept.reduce((sum, count) => sum + count)).toBe(1_000)
  const { rows } = await operator.query('SELECT count(*)::int AS left FROM idempotency_record')
  expect(rows[0].left).toBe(234)
})

it('refuses an invalid workspace without effect on the claims beside it', async () => {
  const store = createPgIdempotencyStore({ pool: database.pool, ...patient })
  const [bad, good] = await Promise.allSettled([
    store.claim({ ...question(), workspaceId: "'; --" }),
    store.claim(question()),
  ])
  expect(bad).toMatchObject({ status: 'rejected', reason: { name: 'RangeError' } })
  expect(good).toMatchObject({ status: 'fulfilled', value: { kind: 'claimed' } })
})

it('fails within 300 ms when the database hangs, and abandons claims that were made meanwhile', async () => {
  const url = new URL(database.url)
  const proxy = await startChaosProxy({ targetHost: url.hostname, targetPort: Number(url.port) })
  url.port = String(proxy.port)
  const pool = connectPool({ databaseUrl: url.href, role: 'ratchet_inference', max: 2, queryTimeoutMs: 10_000 })
  const store = createPgIdempotencyStore({ pool, statementTimeoutMs: 5_000 })
  await store.claim(question())
  const asked = question()
  proxy.freeze()
  const startedAt = performance.now()
  await expect(store.claim(asked)).rejects.toThrow(IdempotencyUnavailable)
  await expect(store.record(...recording())).rejects.toThrow(IdempotencyUnavailable)
  expect(performance.now() - startedAt).toBeLessThan(800)
  proxy.thaw()
  await eventually(async () => expect((await store.claim(asked)).kind).toBe('claimed'))
  await pool.end()
  await proxy.stop()
})

function recording(): Parameters<ReturnType<typeof createPgIdempotencyStore>['record']> {
  const claim = {
    workspaceId: randomUUID(),
    keyHash: randomBytes(32),
    generation: 1n,
    billingId: randomUUID(),
    keepMs: 1_000,
  }
  const answer = { status: 200, dialect: 'chat' as const, servedModel: 'm', headers: {}, body: Buffer.from('{}') }
  return [claim, { ...answer, costNano: 0n }]
}
