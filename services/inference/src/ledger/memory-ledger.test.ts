import { countingUuids } from '@ratchet/testing/counting-ids'
import { budgetContract } from './budget.contract.ts'
import { ledgerContract } from './ledger.contract.ts'
import type { LedgerEvent } from './ledger.ts'
import { type BudgetName, type CapWindow, createMemoryLedger } from './memory-ledger.ts'
import { spendCapContract } from './spend-cap.contract.ts'

const open = async () => {
  const events: LedgerEvent[] = []
  const ledger = createMemoryLedger({ onEvent: (event) => events.push(event) })
  const newId = countingUuids()
  return {
    store: ledger,
    events,
    newWallet: async (balanceNano: bigint) => {
      const workspaceId = newId()
      ledger.topUp(workspaceId, balanceNano)
      return workspaceId
    },
    wallet: async (workspaceId: string) => ledger.wallet(workspaceId),
    balance: async (workspaceId: string) => ledger.wallet(workspaceId).balanceNano,
    another: () => ledger,
    cap: async (workspaceId: string, window: CapWindow) => ledger.cap(workspaceId, window),
    budget: async (workspaceId: string, window: BudgetName) => ledger.budget(workspaceId, window),
    sweepOpen: async () => ledger.sweepOpen(),
  }
}

ledgerContract('memory ledger', open)
spendCapContract('spend caps in memory', open)
budgetContract('budgets in memory', open)
