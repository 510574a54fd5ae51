import { countingUuids } from '@ratchet/testing/counting-ids'
import type { LedgerEvent } from '../domain/ledger.ts'
import { ledgerContract } from './ledger.contract.ts'
import { createMemoryLedger } from './memory-ledger.ts'

ledgerContract('memory ledger', async () => {
  const events: LedgerEvent[] = []
  const ledger = createMemoryLedger({ onEvent: (event) => events.push(event) })
  const newId = countingUuids()
  return {
    store: ledger,
    events,
    newWallet: async (balanceNano) => {
      const workspaceId = newId()
      ledger.topUp(workspaceId, balanceNano)
      return workspaceId
    },
    wallet: async (workspaceId) => ledger.wallet(workspaceId),
    giveUpOpen: async () => ledger.giveUpOpen(),
  }
})
