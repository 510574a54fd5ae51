import type { Closing } from './ledger.ts'

/**
 * Stores closings that could not commit outside this process, so that they survive its death. It contains no balances,
 * only closings to repeat, so any process may replay its entries in any order and any number of times.
 */
export interface Spill {
  /** True when the closing is stored in at least one place. Does not reject. */
  put(closing: Closing): Promise<boolean>
  remove(billingId: string): Promise<void>
  /** Every stored closing that was not removed, also those of processes that ended long ago. */
  list(): Promise<readonly Closing[]>
}
