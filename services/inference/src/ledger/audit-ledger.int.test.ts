import { randomUUID } from 'node:crypto'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { jobOf, openJobHolds } from '../training-money/job-holds.fixture.ts'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import { createPgEscrowStore } from './pg-escrow-store.ts'
import { createPgLedger } from './pg-ledger.ts'

let database: LedgerDatabase

beforeAll(async () => {
  database = await ledgerDatabase()
  const { pool } = database
  const store = createPgLedger({ pool, ownerId: randomUUID(), onEvent: () => undefined })
  const workspaceId = await database.newWallet(1_000n)
  const [settled, running] = [randomUUID(), randomUUID()]
  const hold = { workspaceId, amountNano: 100n, kind: 'chat', model: 'sim/large', priceVersion: '1' }
  await Promise.all([settled, running].map((billingId) => store.hold({ ...hold, billingId })))
  await store.close({ billingId: settled, workspaceId, costNano: 130n, outcome: 'posted' })
  const cap = { id: randomUUID(), windowStart: new Date('2026-11-16T00:00:00Z'), capNano: 200n }
  const [judged, judging] = [randomUUID(), randomUUID()]
  await store.hold({ ...hold, billingId: judged, cap })
  await store.hold({ ...hold, billingId: judging, cap })
  await store.close({ billingId: judged, workspaceId, costNano: 40n, outcome: 'posted' })
  const budget = { id: randomUUID(), subject: 'ann', windowStart: cap.windowStart, amountNano: 200n }
  const [asked, asking] = [randomUUID(), randomUUID()]
  await store.hold({ ...hold, amountNano: 60n, billingId: asked, budgets: [budget] })
  await store.hold({ ...hold, amountNano: 60n, billingId: asking, budgets: [budget] })
  await store.close({ billingId: asked, workspaceId, costNano: 40n, outcome: 'posted' })
  await drawFromBlocks(workspaceId)
  await trainJobs(workspaceId)
})
afterAll(() => database.drop())

/** Charges 30 and 20, and writes off 5, in a block that is booked and in one that is not, both of 200. */
async function drawFromBlocks(workspaceId: string): Promise<void> {
  const store = createPgEscrowStore({ pool: database.pool, ownerId: randomUUID(), walletBlocks: 1 })
  const priced = { kind: 'chat', model: 'sim/large', priceVersion: '1', path: 'block' } as const
  for (const [isBooked, costNano] of [
    [true, 30n],
    [false, 25n],
  ] as const) {
    const blockId = randomUUID()
    await store.openBlock({ blockId, workspaceId, desiredNano: 200n, leastNano: 200n })
    const escrow = { blockId, holdNano: isBooked ? 100n : 20n, ...priced }
    await store.draw([{ billingId: randomUUID(), workspaceId, costNano, outcome: 'posted', escrow }])
    if (!isBooked) continue
    await store.seal([blockId])
    await store.book([blockId])
  }
}

/** Charges 10 and 30 to a job with an open hold of 100, and 50 to one that ended. */
async function trainJobs(workspaceId: string): Promise<void> {
  const holds = openJobHolds(database)
  const [running, ended] = [jobOf(workspaceId), jobOf(workspaceId)]
  await holds.hold(running.taking(100n))
  await holds.checkpoint(running.costing(10n))
  await holds.checkpoint(running.costing(40n))
  await holds.hold(ended.taking(60n))
  await holds.settle(ended.costing(50n))
}

it('reports no violation for a correct ledger, and counts it', async () => {
  expect(await auditLedger(database.pool)).toEqual({
    violations: [],
    openRequests: 4,
    oldestOpenSeconds: expect.any(Number),
    overdueRequests: 0,
    heldNano: 500n,
    writtenOffNano: 35n,
  })
})

/** Removes the ledger's own constraints, so that there is something to find. */
const unguard = `
  ALTER TABLE wallet DROP CONSTRAINT wallet_held_check, DROP CONSTRAINT wallet_balance_check;
  ALTER TABLE billing_request DROP CONSTRAINT billing_request_cost_check, DROP CONSTRAINT billing_request_taken_check;
  DROP INDEX billing_request_job_open_key;
  ALTER TABLE spend_cap DROP CONSTRAINT spend_cap_amounts_check, DROP CONSTRAINT spend_cap_cap_check;
  ALTER TABLE budget_window DROP CONSTRAINT budget_window_amounts_check;
  DROP TRIGGER billing_request_final ON billing_request;
  DROP TRIGGER ledger_entry_append_only ON ledger_entry;
  ALTER TABLE escrow_block DROP CONSTRAINT escrow_block_amount_check;
  DROP TRIGGER escrow_block_final ON escrow_block;
  DROP TRIGGER charge_append_only ON charge`

it.each([
  ['a balance without a payment', 'balance = credit - charges', 'UPDATE wallet SET balance = balance + 1'],
  [
    'a hold that was freed twice',
    'held = holds of open requests + unbooked blocks',
    'UPDATE wallet SET held = held - 1',
  ],
  ['a wallet that holds more than it has', '0 <= held <= balance', 'UPDATE wallet SET held = balance + 1'],
  ['a charge beyond its hold', '0 <= cost <= hold', "UPDATE billing_request SET cost = 101 WHERE state = 'posted'"],
  [
    'a request charged twice',
    'charged once, what it cost',
    `INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason)
     SELECT wallet_id, request_id, amount, account, reason FROM ledger_entry WHERE reason = 'usage' AND request_id IS NOT NULL`,
  ],
  ['a charge without an entry', 'charged once, what it cost', "DELETE FROM ledger_entry WHERE reason = 'usage'"],
  [
    'a block that was freed twice',
    'held = holds of open requests + unbooked blocks',
    'UPDATE escrow_block SET amount = 0',
  ],
  ['more charges than a block has', 'charges of a block <= its amount', 'UPDATE charge SET cost = 201'],
  ['a charge without a block', 'charges of a block <= its amount', 'DELETE FROM escrow_block'],
  [
    'a charge after its block was booked',
    'a block is booked once, with the sum of its charges',
    `INSERT INTO charge (request_id, wallet_id, block_id, cost, kind, model, price_version)
     SELECT gen_random_uuid(), wallet_id, block_id, 1, '', '', '' FROM escrow_block WHERE state = 'booked'`,
  ],
  [
    'a block booked twice',
    'a block is booked once, with the sum of its charges',
    `INSERT INTO ledger_entry (wallet_id, block_id, amount, account, reason)
     SELECT wallet_id, block_id, amount, account, reason FROM ledger_entry WHERE block_id IS NOT NULL`,
  ],
  [
    'a request charged in both places',
    'charged to a block or with a row, not both',
    `INSERT INTO charge (request_id, wallet_id, block_id, cost, kind, model, price_version)
     SELECT b.request_id, b.wallet_id, e.block_id, 1, '', '', '' FROM billing_request b, escrow_block e
     WHERE b.state = 'posted' AND e.state = 'open'`,
  ],
  ['a cost that no cap counts', 'spent and held of a cap = those of its requests', 'UPDATE spend_cap SET spent = 0'],
  ['a hold freed twice from a cap', 'spent and held of a cap = those of its requests', 'UPDATE spend_cap SET held = 0'],
  [
    'a window that was deleted',
    'spent and held of a cap = those of its requests',
    'UPDATE spend_cap SET window_start = now()',
  ],
  [
    'a cost that no budget counts',
    'spent and held of a budget = those of its requests',
    'UPDATE budget_window SET spent = 0',
  ],
  [
    'a hold that a budget counts for somebody else',
    'spent and held of a budget = those of its requests',
    "UPDATE budget_window SET subject = 'bob'",
  ],
  ['a budget that was exceeded', 'spent + held <= budget', 'UPDATE budget_window SET amount = 99'],
  ['a cap that was exceeded', 'spent + held <= cap', 'UPDATE spend_cap SET cap = 139'],
  [
    'a charge of a job that no checkpoint knows',
    'charges of a training job = its last checkpoint <= what its holds took',
    'UPDATE billing_request SET job_cost = job_cost - 1, hold = hold + 1 WHERE taken = 100',
  ],
  [
    'a job charged twice for a checkpoint',
    'charges of a training job = its last checkpoint <= what its holds took',
    'UPDATE billing_request SET cost = cost + 10 WHERE job_id IS NOT NULL AND taken IS NULL AND cost = 10',
  ],
  [
    'a job that cost more than it held',
    'charges of a training job = its last checkpoint <= what its holds took',
    'UPDATE billing_request SET taken = 39, hold = 0 WHERE taken = 100',
  ],
  [
    'a job with two open holds',
    'charges of a training job = its last checkpoint <= what its holds took',
    `INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version,
       job_id, taken, job_cost_before, job_cost, job_tokens)
     SELECT gen_random_uuid(), wallet_id, owner_id, 0, now(), 'open', kind, model, price_version, job_id, 0, 0, 0, 0
     FROM billing_request WHERE taken = 100`,
  ],
  [
    'a hold of a job that holds what it has charged',
    'a hold of a training job = what it took - what it charged',
    'UPDATE billing_request SET hold = 100 WHERE taken = 100',
  ],
  ['half an entry', 'entries come in pairs', "DELETE FROM ledger_entry WHERE account = 'funding'"],
  [
    'money from nowhere',
    'all accounts sum to 0',
    "UPDATE ledger_entry SET amount = amount + 1 WHERE account = 'usage'",
  ],
])('finds %s', async (_, invariant, tampering) => {
  const client = await database.operator.connect()
  await client.query(`BEGIN; ${unguard}; ${tampering}`)
  const { violations } = await auditLedger(client)
  await client.query('ROLLBACK')
  client.release()
  expect(violations.map((violation) => violation.invariant)).toContain(invariant)
})

it.each([
  ['an overspend', 'UPDATE wallet SET held = balance + 1', '23514'],
  ['a negative hold', 'UPDATE wallet SET held = -1', '23514'],
  ['a charge beyond the hold', "UPDATE billing_request SET cost = 101, state = 'voided' WHERE state = 'open'", '23514'],
  ['an open request with a cost', "UPDATE billing_request SET cost = 1 WHERE state = 'open'", '23514'],
  ['a window that comes to more than its cap', 'UPDATE spend_cap SET spent = cap', '23514'],
  [
    'a hold that moves to another window',
    'UPDATE billing_request SET cap_window = now() WHERE cap_id IS NOT NULL',
    '23000',
  ],
  [
    'a hold under a cap that is not there',
    `INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version, cap_id, cap_window)
     SELECT gen_random_uuid(), wallet_id, owner_id, 0, now(), 'open', '', '', '', cap_id, now() FROM billing_request
     WHERE cap_id IS NOT NULL`,
    '23000',
  ],
  ['a window that comes to more than its budget', 'UPDATE budget_window SET spent = amount', '23514'],
  [
    'a hold that leaves its budgets',
    'UPDATE billing_request SET budget_ids = NULL WHERE budget_ids IS NOT NULL',
    '23000',
  ],
  [
    'a hold under a budget that is not there',
    `INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version,
       budget_ids, budget_subjects, budget_windows)
     SELECT gen_random_uuid(), wallet_id, owner_id, 0, now(), 'open', '', '', '', budget_ids, '{bob}', budget_windows
     FROM billing_request WHERE budget_ids IS NOT NULL`,
    '23000',
  ],
  ['a hold of a job that forgets a charge', 'UPDATE billing_request SET job_cost = 0 WHERE taken = 100', '23514'],
  ['a hold of a job that holds too much', 'UPDATE billing_request SET hold = 61 WHERE taken = 100', '23514'],
  [
    'a second open hold of a job',
    `INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version, job_id)
     SELECT gen_random_uuid(), wallet_id, owner_id, 0, now(), 'open', '', '', '', job_id FROM billing_request WHERE taken = 100`,
    '23505',
  ],
  ['a charge that changes', 'UPDATE charge SET cost = cost + 1', '23000'],
  ['a charge that is deleted', 'DELETE FROM charge', '23000'],
  [
    'a booked block that opens again',
    "UPDATE escrow_block SET state = 'open', charged = NULL, charges = NULL, sealed_at = NULL WHERE state = 'booked'",
    '23000',
  ],
  ['a block that lends more than it has', 'UPDATE escrow_block SET amount = -1', '23514'],
  [
    'a second price for a posted request',
    "UPDATE billing_request SET cost = 1 WHERE state = 'posted' AND job_id IS NULL",
    '23000',
  ],
  [
    'a posted request reopened',
    "UPDATE billing_request SET state = 'open', cost = NULL WHERE state = 'posted' AND job_id IS NULL",
    '23000',
  ],
])('the database itself refuses %s', async (_, statement, code) => {
  await expect(database.operator.query(statement)).rejects.toMatchObject({ code })
})

it('never lets a voided request open again', async () => {
  const voidOpen = "UPDATE billing_request SET state = 'voided', cost = 0 WHERE state = 'open'"
  const reopen = "UPDATE billing_request SET state = 'open', cost = NULL WHERE state = 'voided'"
  await expect(database.operator.query(`${voidOpen}; ${reopen}`)).rejects.toMatchObject({ code: '23000' })
})
