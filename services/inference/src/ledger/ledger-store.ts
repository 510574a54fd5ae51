import type { Checkpoint, Closing, Hold, HoldOutcome } from './ledger.ts'

/** The ledger's books. Unlike `Ledger`, it keeps nothing safe by itself: what fails, rejects. */
export interface LedgerStore {
  /** @throws LedgerUnavailable, RangeError as `Ledger.hold`. */
  hold(hold: Hold): Promise<HoldOutcome>
  checkpoint(checkpoint: Checkpoint): void
  /**
   * Brings a request to its end, whatever happened to it before; repeating it changes nothing. One
   * that never was is marked voided, so that a hold still under way cannot open it.
   *
   * @throws LedgerUnavailable when it has to be repeated.
   * @throws RangeError when the closing is malformed or the request is another workspace's.
   */
  close(closing: Closing): Promise<{ readonly chargedNano: bigint }>
  /** Resolves when no statement waits or runs. */
  idle(): Promise<void>
}
