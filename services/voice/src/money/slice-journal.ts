import type { CallUsage } from '../calls/call-money.ts'
import type { CallRates } from './price-book.ts'

export interface SliceKey {
  readonly workspaceId: string
  readonly callId: string
  /** From 0, of a call. */
  readonly number: number
}

export interface NewSlice extends SliceKey {
  readonly holdId: string
  readonly rates: CallRates
  readonly amountNano: bigint
}

/**
 * `held`: it is being used, or waits for its use. `ended`: it has to be charged. `posted`: it was. `released`: nothing was held for
 * it, or it was given back.
 */
export type SliceState = 'held' | 'ended' | 'posted' | 'released'

export interface StoredSlice extends NewSlice {
  readonly state: SliceState
  /** Of the whole call, when it was last written here. */
  readonly usage: CallUsage
  /** Of this slice, at most its amount. */
  readonly costNano: bigint
  /** Null before it is posted or released. */
  readonly chargedNano: bigint | null
  readonly updatedAt: Date
}

/** What a slice has cost until now. */
export interface SliceUse extends SliceKey {
  readonly usage: CallUsage
  readonly costNano: bigint
}

/**
 * What is written down of slices, before anything is held for them: so that each is charged or released whatever dies, and a call
 * can say what it cost. Only the ledger moves money.
 */
export interface SliceJournal {
  /** Repeating it changes nothing. */
  open(slice: NewSlice): Promise<void>
  /** Of slices that are held. Use only grows. */
  checkpoint(uses: readonly SliceUse[]): Promise<void>
  /** Changes nothing unless it is held. */
  end(use: SliceUse): Promise<void>
  /** @param chargedNano what the ledger charged: nothing when it was released */
  close(key: SliceKey, state: 'posted' | 'released', chargedNano: bigint): Promise<void>
  /** All slices of a call, in order. */
  of(call: Pick<SliceKey, 'workspaceId' | 'callId'>): Promise<readonly StoredSlice[]>
  /** Slices that have ended, and those that nobody has written for `silentMs`, the oldest first. */
  unfinished(silentMs: number, limit: number): Promise<readonly StoredSlice[]>
}
