import type { ExchangeFilter, ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'

export interface SampleRequest extends ReadScope {
  readonly filter: ExchangeFilter
  readonly count: number
  readonly seed: number
}

export interface Sample {
  /** Number of matches. */
  readonly total: number
  readonly exchanges: readonly LoggedExchange[]
}

export interface PromptSample extends Sample {
  /** How many of the matches were read. */
  readonly examined: number
  /** How many distinct prompts those have; may be more than `count`. */
  readonly distinct: number
  /** For each prompt the first exchange drawn, in the order drawn. */
  readonly exchanges: readonly LoggedExchange[]
}

export interface FreshRequest extends ReadScope {
  /** UUID of the last exchange that the caller has read. */
  readonly after: string
  readonly limit: number
  /** Only exchanges that were requested by this alias; absent for all. */
  readonly alias?: string | undefined
}

/** Picks exchanges for services that work on the log. */
export interface ExchangePicks {
  /** A uniform sample without replacement, determined by the seed. */
  sample(request: SampleRequest): Promise<Sample>
  /** Draws exchanges in such an order and keeps the first one of each prompt. */
  prompts(request: SampleRequest): Promise<PromptSample>
  /** Exchanges that were stored after `after`. Ids are UUIDs of version 7, so they sort in the order of storing. */
  fresh(request: FreshRequest): Promise<readonly LoggedExchange[]>
  /** The UUIDs of those exchanges that have not expired and were not deleted. */
  present(scope: ReadScope, ids: readonly string[]): Promise<readonly string[]>
}
