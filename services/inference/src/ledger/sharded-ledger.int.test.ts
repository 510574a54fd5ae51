import { randomUUID } from 'node:crypto'
import { budgetContract } from './budget.contract.ts'
import { ledgerContract } from './ledger.contract.ts'
import type { LedgerEvent } from './ledger.ts'
import { type LedgerPair, ledgerPair, shardedStore } from './ledger-pair.fixture.ts'
import { createPgLedger } from './pg-ledger.ts'
import { sweepLedger } from './pg-ledger-sweeper.ts'
import { spendCapContract } from './spend-cap.contract.ts'

let pair: LedgerPair
beforeAll(async () => {
  pair = await ledgerPair()
})
afterAll(() => pair.drop())

const patient = { holdTtlMs: -1_000, holdSilenceMs: 5_000, statementTimeoutMs: 5_000 }

const open = async () => {
  const events: LedgerEvent[] = []
  const onEvent = (event: LedgerEvent) => void events.push(event)
  const sweep = async (listener: typeof onEvent) => {
    const each = pair.both.map(({ pool }) => sweepLedger({ pool, everyMs: 0, missedSweeps: 1, onEvent: listener }))
    return (await Promise.all(each)).reduce((sum, count) => sum + count, 0)
  }
  await sweep(() => undefined) // closes what the test before left open
  const another = () => {
    const ownerId = randomUUID()
    return shardedStore(pair, ({ pool }) => createPgLedger({ pool, ownerId, onEvent, ...patient }))
  }
  return {
    store: another(),
    another,
    events,
    newWallet: pair.newWallet,
    wallet: (workspaceId: string) => pair.of(workspaceId).wallet(workspaceId),
    balance: async (workspaceId: string) => (await pair.of(workspaceId).wallet(workspaceId)).balanceNano,
    cap: (workspaceId: string, window: Parameters<LedgerPair['main']['cap']>[1]) =>
      pair.of(workspaceId).cap(workspaceId, window),
    budget: (workspaceId: string, window: Parameters<LedgerPair['main']['budget']>[1]) =>
      pair.of(workspaceId).budget(workspaceId, window),
    sweepOpen: () => sweep(onEvent),
  }
}

ledgerContract('two ledgers in postgres', open)
spendCapContract('spend caps in two ledgers', open)
budgetContract('budgets in two ledgers', open)
