import { randomUUID } from 'node:crypto'
import { budgetContract } from './budget.contract.ts'
import { ledgerContract } from './ledger.contract.ts'
import type { LedgerEvent } from './ledger.ts'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import { createPgLedger } from './pg-ledger.ts'
import { sweepLedger } from './pg-ledger-sweeper.ts'
import { spendCapContract } from './spend-cap.contract.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

const unheard = { everyMs: 0, missedSweeps: 1 }

const open = async () => {
  const { pool } = database
  const events: LedgerEvent[] = []
  const onEvent = (event: LedgerEvent) => void events.push(event)
  await sweepLedger({ pool, ...unheard, onEvent: () => undefined }) // closes what the test before left open
  // an owner without a heartbeat and with expired deadlines: the next sweep closes its holds
  const another = () =>
    createPgLedger({
      pool,
      ownerId: randomUUID(),
      onEvent,
      holdTtlMs: -1_000,
      holdSilenceMs: 5_000,
      statementTimeoutMs: 5_000,
    })
  return {
    store: another(),
    another,
    events,
    newWallet: database.newWallet,
    wallet: database.wallet,
    balance: async (workspaceId: string) => (await database.wallet(workspaceId)).balanceNano,
    cap: database.cap,
    budget: database.budget,
    sweepOpen: () => sweepLedger({ pool, ...unheard, onEvent }),
  }
}

ledgerContract('postgres ledger', open)

it.each(['closes', 'closes late'])('stores the row of the log with the charge when it %s', async (when) => {
  const { store, newWallet, sweepOpen } = await open()
  const [workspaceId, billingId, requestId] = [await newWallet(1_000n), randomUUID(), randomUUID()]
  const priced = { kind: 'chat', model: 'acme/fast', priceVersion: '1' }
  await store.hold({ billingId, workspaceId, amountNano: 100n, ...priced })
  if (when === 'closes late') await sweepOpen()
  const logRow = { requestId, expiresOn: '2027-01-31' }
  await store.close({ billingId, workspaceId, costNano: 40n, outcome: 'posted', logRow })
  const text = 'SELECT log_request_id, log_expires_on::text AS day FROM billing_request WHERE request_id = $1'
  const { rows } = await database.pool.query(text, [billingId])
  expect(rows).toEqual([{ log_request_id: requestId, day: '2027-01-31' }])
})
spendCapContract('spend caps in postgres', open)
budgetContract('budgets in postgres', open)
