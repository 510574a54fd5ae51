import type { ExchangeKey, ReadScope } from '../exchanges/exchange-reads.ts'

/** A segment and its traffic. */
export interface SegmentTraffic {
  readonly segment: string
  /** Null for segments without a label, such as `none`. */
  readonly label: string | null
  readonly exchanges: number
  readonly exactVariants: number
  readonly firstAt: Date
  readonly lastAt: Date
  /** The newest exchange; null when it has expired and was not swept yet. */
  readonly newest: ExchangeKey | null
}

export interface SegmentRequest extends ReadScope {
  readonly limit: number
  readonly offset: number
}

export interface SegmentList {
  readonly data: readonly SegmentTraffic[]
  /** Number of all segments. */
  readonly total: number
}

/** All traffic of a workspace that is in the log. */
export interface TrafficTotals {
  readonly exchanges: number
  /** The oldest exchange; null without any. */
  readonly firstAt: Date | null
}

/** Reads the traffic of segments. Expired exchanges may count until they are swept. */
export interface SegmentTrafficReads {
  /** A page of segments, the largest first. */
  list(request: SegmentRequest): Promise<SegmentList>
  /** What the log of the workspace holds; null when that cannot be counted now. */
  totals(scope: ReadScope): Promise<TrafficTotals | null>
}
