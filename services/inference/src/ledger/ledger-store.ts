import type { Checkpoint, Closing, Hold, HoldOutcome } from './ledger.ts'

/** The database of the ledger. Unlike `Ledger` it does not store failed closings: a failure rejects. */
export interface LedgerStore {
  /** @throws LedgerUnavailable, RangeError as `Ledger.hold` */
  hold(hold: Hold): Promise<HoldOutcome>
  checkpoint(checkpoint: Checkpoint): void
  /**
   * Closes a request in any state; a repetition changes nothing. A request that was never held is marked as voided, so
   * that a hold that is still running cannot open it.
   *
   * @throws LedgerUnavailable when it has to be repeated
   * @throws RangeError when the closing is malformed or the request belongs to another workspace
   */
  close(closing: Closing): Promise<{ readonly chargedNano: bigint }>
  /** The closing with everything that another process needs in order to repeat it. */
  complete(closing: Closing): Closing
  /** Resolves when no statement waits or runs. */
  idle(): Promise<void>
}
