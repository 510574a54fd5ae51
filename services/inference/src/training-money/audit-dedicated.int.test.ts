import { randomUUID } from 'node:crypto'
import { auditDedicated, dedicatedRules } from '@ratchet/db/audit-dedicated'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { openJobHolds } from './job-holds.fixture.ts'

let database: LedgerDatabase
const [endpointId, replicaId] = [randomUUID(), randomUUID()]
const [seconds, posted, held] = dedicatedRules
const from = '2026-12-01T12:03:00Z'
const number = Date.parse(from) / 300_000
const charges: { readonly kind: string; readonly model: string; readonly cost: string }[] = []

/** A replica that was ready for seven minutes, in two windows that were charged. */
beforeAll(async () => {
  database = await ledgerDatabase()
  const workspaceId = await database.newWallet(10_000_000_000n)
  const { operator } = database
  await operator.query(
    `INSERT INTO dedicated_endpoint (id, workspace_id, name, routing_key, base_model, hardware, price_nano_per_hour, min_replicas,
      max_replicas, scale_up_window_s, scale_down_window_s, target_concurrency, max_context_length, precision, draining_s, metadata,
      request, state, state_at, created_by, created_at)
    VALUES ($1, $2, 'A', 'a-aaaaaa', 'sim/small', 'sim-1x', 3600000000, 0, 1, 30, 600, 8, 8192, 'auto', 600, '{}', '{}', 'STOPPED',
      now(), $2, now())`,
    [endpointId, workspaceId],
  )
  await operator.query(
    `INSERT INTO replica (id, endpoint_id, workspace_id, hardware, price_nano_per_hour, state, created_at, ended_at, settled)
    VALUES ($1, $2, $3, 'sim-1x', 3600000000, 'ended', $4, now() - interval '2 hours', true)`,
    [replicaId, endpointId, workspaceId, from],
  )
  await operator.query(`INSERT INTO replica_interval VALUES ($1, $2, $3, $4, $4::timestamptz + interval '7 minutes')`, [
    replicaId,
    endpointId,
    workspaceId,
    from,
  ])
  const holds = openJobHolds(database)
  for (const [window, readyMs] of [
    [Math.floor(number), 120_000],
    [Math.floor(number) + 1, 300_000],
  ] as const) {
    const [jobId, costNano] = [randomUUID(), BigInt(readyMs) * 1_000_000n]
    const named = { holdId: randomUUID(), workspaceId }
    const asked = {
      ...named,
      jobId,
      amountNano: 300_000_000_000n / 1_000n,
      model: 'dedicated/a-aaaaaa',
      kind: 'dedicated',
    } as const
    expect(await holds.hold(asked)).toMatchObject({ outcome: 'held' })
    expect(await holds.settle({ ...named, costNano: costNano / 1_000n })).toMatchObject({ kind: 'dedicated' })
    await operator.query(
      `INSERT INTO replica_window (replica_id, number, endpoint_id, workspace_id, id, state, taken, held_nano, ready_ms, cost_nano)
      VALUES ($1, $2, $3, $4, $5, 'posted', true, 300000000, $6, $7)`,
      [replicaId, window, endpointId, workspaceId, jobId, readyMs, String(costNano / 1_000n)],
    )
  }
  const { rows } = await operator.query('SELECT kind, model, cost::text FROM billing_request ORDER BY cost')
  charges.push(...rows)
})
afterAll(() => database.drop())

it('finds nothing where windows are the seconds and were charged once', async () => {
  expect(await auditDedicated(database.operator, [database.operator])).toEqual([])
  expect((await auditLedger(database.operator)).violations).toEqual([])
  const charge = { kind: 'dedicated', model: 'dedicated/a-aaaaaa' }
  expect(charges).toEqual([
    { ...charge, cost: '120000000' },
    { ...charge, cost: '300000000' },
  ])
})

it.each([
  ['a longer interval', "UPDATE replica_interval SET to_at = to_at + interval '1 second'", seconds],
  ['a window that is missing', 'DELETE FROM replica_window WHERE ready_ms = 120000', seconds],
  ['another cost', 'UPDATE replica_window SET cost_nano = cost_nano - 1000', posted],
  [
    'a charge that is missing',
    "DELETE FROM ledger_entry; DELETE FROM billing_request WHERE kind = 'dedicated'",
    posted,
  ],
  ['a window that is not charged', "UPDATE replica_window SET state = 'held', ready_ms = NULL, cost_nano = NULL", held],
])('finds %s', async (_, statements, rule) => {
  const client = await database.operator.connect()
  try {
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica; ${statements}`)
    const found = await auditDedicated(client, [client])
    expect(found.map(({ invariant }) => invariant)).toContain(rule)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
