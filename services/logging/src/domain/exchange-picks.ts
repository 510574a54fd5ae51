import type { ExchangeFilter, ReadScope } from './exchange-reads.ts'
import type { LoggedExchange } from './logged-exchange.ts'

export interface SampleRequest extends ReadScope {
  readonly filter: ExchangeFilter
  readonly count: number
  readonly seed: number
}

export interface FreshRequest extends ReadScope {
  /** UUID of the last exchange seen. */
  readonly after: string
  readonly limit: number
}

/** What services that work on the log pick from it. */
export interface ExchangePicks {
  /** A uniform sample without replacement, decided by the seed; `total` is how many there are to pick from. */
  sample(request: SampleRequest): Promise<{ readonly total: number; readonly exchanges: readonly LoggedExchange[] }>
  /** What was stored since, in the order of storing. */
  fresh(request: FreshRequest): Promise<readonly LoggedExchange[]>
  /** UUIDs of those that are still there. */
  present(scope: ReadScope, ids: readonly string[]): Promise<readonly string[]>
}
