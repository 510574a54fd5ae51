import type { Closing, EscrowHold } from './ledger.ts'

/** A closing of a request whose process holds for it in memory. */
export interface EscrowClosing extends Closing {
  readonly escrow: EscrowHold
}

/** A running request that gets a row of its own. */
export interface CarvedHold extends Omit<EscrowHold, 'path'> {
  readonly billingId: string
  readonly workspaceId: string
}

export interface OpenBlock {
  readonly blockId: string
  readonly workspaceId: string
  readonly desiredNano: bigint
  readonly leastNano: bigint
}

/** A wallet, and how many blocks of it are not booked, at one instant. Blocks are part of what is held. */
export interface WalletLook {
  readonly balanceNano: bigint
  readonly heldNano: bigint
  readonly blocks: number
}

/** The blocks in the database. Every method is one statement, and may be repeated. @throws LedgerUnavailable */
export interface EscrowStore {
  /** The amount of the block; null when none was opened. */
  openBlock(block: OpenBlock): Promise<bigint | null>
  /** Makes an opening that may still run find its id taken. */
  forestallBlock(block: Pick<OpenBlock, 'blockId' | 'workspaceId'>): Promise<void>
  /** Charges requests with different ids to their blocks; returns the ids that it charged. */
  draw(closings: readonly EscrowClosing[]): Promise<ReadonlySet<string>>
  /** Gives requests rows of their own; returns the ids that have one. */
  carve(holds: readonly CarvedHold[]): Promise<ReadonlySet<string>>
  /** Ends blocks: they take no more charges. */
  seal(blockIds: readonly string[]): Promise<void>
  /** Charges the wallets of sealed blocks, and returns the rest of the blocks to them. */
  book(blockIds: readonly string[]): Promise<void>
  /** Charges a request whose block is sealed, at most what is free; undefined when it is charged already. */
  drawLate(closing: EscrowClosing): Promise<{ chargedNano: bigint; writeOffNano: bigint } | undefined>
  /** Whether the request has a row or a charge. */
  isKnown(billingId: string): Promise<boolean>
}

/** How a process learns what is free of a wallet exactly. @throws LedgerUnavailable */
export interface RecallStore {
  /** A workspace without a wallet is not in the result. */
  look(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, WalletLook>>
  /** Asks every process to give back its blocks of the wallet, and lets none open one for some time. */
  recall(workspaceId: string): Promise<void>
}
