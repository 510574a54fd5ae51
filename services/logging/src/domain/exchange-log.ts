import type { UnsegmentedExchange } from './raw-exchange.ts'

/** Where exchanges are stored. */
export interface ExchangeLog {
  /**
   * Finds the segment of each exchange and stores all of them, or nothing. One whose request is stored already is
   * left out.
   *
   * @returns how many are new
   * @throws UnstorableExchange when one of them can never be stored; any other Error: try again later
   */
  write(exchanges: readonly UnsegmentedExchange[]): Promise<number>
}

/** The database refuses what an exchange holds, and always will. */
export class UnstorableExchange extends Error {
  override name = 'UnstorableExchange'
}
