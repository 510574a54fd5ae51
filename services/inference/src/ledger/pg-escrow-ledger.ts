import type { BlockSize, EscrowTiming } from './escrow-blocks.ts'
import { createEscrowLedger, type EscrowLedger } from './escrow-ledger.ts'
import { createExactWallets } from './exact-wallets.ts'
import { createPgEscrowStore, createPgRecalls } from './pg-escrow-store.ts'
import { createPgLedger, type PgLedgerOptions } from './pg-ledger.ts'

export interface PgEscrowLedgerOptions extends Omit<PgLedgerOptions, 'beforeLatePost'>, EscrowTiming {
  readonly newId: () => string
  readonly clockMs?: () => number
  readonly size?: BlockSize
  /** A block takes at most one part in so many of what is free of its wallet. */
  readonly walletBlocks?: number
  /** Milliseconds to wait for the blocks of other processes before a hold fails. */
  readonly recallWaitMs?: number
}

/** The ledger of one process: the one with rows and, before it, the one that holds in memory. */
export function createPgEscrowLedger(options: PgEscrowLedgerOptions): EscrowLedger {
  const { recallWaitMs = 250 } = options
  const wallets = createExactWallets({
    waitMs: recallWaitMs,
    store: createPgRecalls(options),
    giveBack: (workspaceId) => escrow.giveBack(workspaceId),
  })
  const rows = createPgLedger({ ...options, beforeLatePost: wallets.settle })
  const escrow = createEscrowLedger({ ...options, rows, store: createPgEscrowStore(options), wallets })
  return escrow
}
