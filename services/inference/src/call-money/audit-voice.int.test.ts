import { randomUUID } from 'node:crypto'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { auditVoice, voiceRules } from '@ratchet/db/audit-voice'
import { createExactWallets } from '../ledger/exact-wallets.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgRecalls } from '../ledger/pg-escrow-store.ts'
import { createPgCallHolds } from './pg-call-holds.ts'

let database: LedgerDatabase
const [charged, held, left] = voiceRules

/** A call of two slices that are over, and one that is held. */
beforeAll(async () => {
  database = await ledgerDatabase()
  const { pool, operator } = database
  const workspaceId = await database.newWallet(1_000_000n)
  const exact = createExactWallets({ store: createPgRecalls({ pool }) })
  const holds = createPgCallHolds({ pool, exact, onEvent: () => undefined, timeoutMs: 10_000 })
  const callId = randomUUID()
  for (const [number, cost] of [
    [0, 700n],
    [1, 0n],
    [2, null],
  ] as const) {
    const holdId = randomUUID()
    const labels = { keyId: null, tag: 'agent_1', alias: null }
    const slice = { holdId, workspaceId, ownerId: null, amountNano: 1_000n, keepMs: 60_000, model: 'voice/sim', labels }
    expect(await holds.hold({ ...slice, cap: null })).toBe('held')
    if (cost === 0n) await holds.release(slice)
    else if (cost !== null) await holds.settle({ ...slice, costNano: cost })
    const state = cost === null ? 'held' : cost > 0n ? 'posted' : 'released'
    await operator.query(
      `INSERT INTO call_slice (call_id, number, workspace_id, hold_id, rates, amount_nano, state, cost_nano, charged_nano)
       VALUES ($1, $2, $3, $4, '{}', 1000, $5, $6, $7)`,
      [callId, number, workspaceId, holdId, state, cost ?? 0n, cost],
    )
  }
})
afterAll(() => database.drop())

it('finds nothing where each slice was charged what is written for it', async () => {
  expect(await auditVoice(database.operator, [database.operator])).toEqual([])
  expect((await auditLedger(database.operator)).violations).toEqual([])
})

it.each([
  ['another charge', "UPDATE call_slice SET charged_nano = 600 WHERE state = 'posted'", charged],
  ['a charge that is missing', "DELETE FROM billing_request WHERE state = 'posted'", charged],
  ['a charge of what was released', "UPDATE billing_request SET cost = 1 WHERE state = 'voided'", charged],
  ['what is still held', "UPDATE call_slice SET state = 'released', charged_nano = 0 WHERE state = 'held'", held],
  ['what was left', "UPDATE call_slice SET updated_at = now() - interval '11 minutes' WHERE state = 'held'", left],
])('finds %s', async (_, statements, rule) => {
  const client = await database.operator.connect()
  try {
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica; ${statements}`)
    expect((await auditVoice(client, [client])).map(({ invariant }) => invariant)).toEqual([rule])
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
