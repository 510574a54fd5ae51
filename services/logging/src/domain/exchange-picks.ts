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
  /** What the exchanges named; absent for whatever they did. */
  readonly alias?: string | undefined
}

export interface PromptSample {
  /** Exchanges that match. */
  readonly total: number
  /** How many of them were drawn. */
  readonly lookedAt: number
  /** How many prompts those have, which may be more than were wanted. */
  readonly distinct: number
  /** The first one drawn of each prompt, in the order drawn. */
  readonly exchanges: readonly LoggedExchange[]
}

/** What services that work on the log pick from it. */
export interface ExchangePicks {
  /** A uniform sample without replacement, decided by the seed; `total` is how many there are to pick from. */
  sample(request: SampleRequest): Promise<{ readonly total: number; readonly exchanges: readonly LoggedExchange[] }>
  /** Exchanges in the order of such a sample, of which the first one of each prompt is taken. */
  prompts(request: SampleRequest): Promise<PromptSample>
  /** What was stored since, in the order of storing. */
  fresh(request: FreshRequest): Promise<readonly LoggedExchange[]>
  /** UUIDs of those that are still there. */
  present(scope: ReadScope, ids: readonly string[]): Promise<readonly string[]>
}
