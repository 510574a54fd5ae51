import { mainLedger } from '@ratchet/db/ledger-urls'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { addWorkspace, type LedgerDatabase, openLedgerDatabase } from './ledger-database.fixture.ts'
import { createLedgerRouting } from './ledger-routing.ts'
import type { LedgerStore } from './ledger-store.ts'

/** The name of the second ledger. */
export const otherLedger = 'b'

/** The main database, which is also a ledger, and the database of another ledger. */
export interface LedgerPair {
  readonly main: LedgerDatabase
  readonly other: LedgerDatabase
  readonly both: readonly LedgerDatabase[]
  /** Creates a workspace with this much credit, in turn in one ledger and in the other. */
  newWallet(balanceNano: bigint): Promise<string>
  /** The ledger of a workspace; the main one for those that it did not create. */
  of(workspaceId: string): LedgerDatabase
  drop(): Promise<void>
}

export interface LedgerPairOptions {
  readonly connections?: number
  /** The second database; by default one on the same server. */
  readonly second?: FreshDatabase
}

export async function ledgerPair({ connections = 8, second }: LedgerPairOptions = {}): Promise<LedgerPair> {
  const main = openLedgerDatabase(await freshDatabase(), { connections })
  const other = openLedgerDatabase(second ?? (await freshDatabase()), { connections, name: otherLedger })
  const inOther = new Set<string>()
  let created = 0
  return {
    main,
    other,
    both: [main, other],
    async newWallet(balanceNano) {
      created += 1
      if (created % 2 === 1) return main.newWallet(balanceNano)
      const workspaceId = await other.newWallet(balanceNano)
      await addWorkspace(main.operator, workspaceId, otherLedger)
      inOther.add(workspaceId)
      return workspaceId
    },
    of: (workspaceId) => (inOther.has(workspaceId) ? other : main),
    async drop() {
      await main.drop()
      await other.drop()
    },
  }
}

/** The stores of one process behind one, as the ledgers of a process are. */
export function shardedStore(pair: LedgerPair, open: (database: LedgerDatabase) => LedgerStore): LedgerStore {
  const ledgers = new Map([
    [mainLedger, open(pair.main)],
    [otherLedger, open(pair.other)],
  ])
  const workspaces = { of: (id: string) => (pair.of(id) === pair.other ? otherLedger : mainLedger) }
  const routing = createLedgerRouting({ ledgers, workspaces })
  return {
    hold: routing.hold,
    checkpoint: routing.checkpoint,
    close: (closing) => routing.close(closing, (ledger) => ledger.close(closing)),
    complete: (closing) => routing.running(closing.billingId)?.complete(closing) ?? closing,
    async idle() {
      await Promise.all([...ledgers.values()].map((ledger) => ledger.idle()))
    },
  }
}
