import type { ExchangeFilter, ReadScope } from '../exchanges/exchange-reads.ts'
import type { Buckets } from './count-buckets.ts'

/** Matches that are counted at most: all of a time, or those of other filters, which must be searched. */
export const maxCounted = { listed: 1_000_000, searched: 10_000 } as const

export interface CountRequest extends ReadScope {
  readonly filter: ExchangeFilter & { readonly start: Date; readonly end: Date }
  readonly buckets: Buckets
}

/** Counts exchanges of one workspace by the time of their creation. */
export interface ExchangeCounts {
  /** The number of matches in each part; null where older ones were not counted. */
  byTime(request: CountRequest): Promise<readonly (number | null)[]>
}
