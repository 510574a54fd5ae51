import type { UnsegmentedExchange } from './raw-exchange.ts'

/** Writes exchanges to the log. */
export interface ExchangeLog {
  /**
   * Finds the segment of each exchange and stores all of them, or nothing. An exchange whose request is stored already
   * is skipped.
   *
   * @returns how many were stored
   * @throws UnstorableExchange when one of them can never be stored; any other Error means: retry later
   */
  write(exchanges: readonly UnsegmentedExchange[]): Promise<number>
}

/** The database refuses the values of an exchange, so that a retry cannot succeed. */
export class UnstorableExchange extends Error {
  override name = 'UnstorableExchange'
}
