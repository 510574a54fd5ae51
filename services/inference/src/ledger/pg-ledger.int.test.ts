import { randomUUID } from 'node:crypto'
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
  return {
    // an owner without a heartbeat and with expired deadlines: the next sweep closes its holds
    store: createPgLedger({
      pool,
      ownerId: randomUUID(),
      onEvent,
      holdTtlMs: -1_000,
      holdSilenceMs: 5_000,
      statementTimeoutMs: 5_000,
    }),
    events,
    newWallet: database.newWallet,
    wallet: database.wallet,
    cap: database.cap,
    sweepOpen: () => sweepLedger({ pool, ...unheard, onEvent }),
  }
}

ledgerContract('postgres ledger', open)
spendCapContract('spend caps in postgres', open)
