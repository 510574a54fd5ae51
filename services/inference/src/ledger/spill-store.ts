import type { Closing } from './ledger.ts'

/**
 * Closings that could not commit, kept where the death of this process does not reach. There are no
 * balances in it, only what is to be repeated, so its entries may be replayed by anybody, in any order,
 * any number of times.
 */
export interface Spill {
  /** True when the closing is kept in at least one place. Does not reject. */
  put(closing: Closing): Promise<boolean>
  remove(billingId: string): Promise<void>
  /** Everything that anybody spilled and nobody removed, also processes long gone. */
  list(): Promise<readonly Closing[]>
}
