import type { ExchangeLog } from '../exchanges/exchange-log.ts'
import type { ExchangeReads } from '../exchanges/exchange-reads.ts'
import type { ImportStore } from '../imports/import-store.ts'
import type { ExchangeCounts } from '../overview/exchange-counts.ts'
import type { ExchangePicks } from '../picks/exchange-picks.ts'
import type { RunPicks } from '../picks/run-picks.ts'
import type { FindMissing } from '../reconciliation/reconciliation.ts'
import type { ExchangeRetention } from '../retention/retention.ts'
import type { SegmentTrafficReads } from '../segments/segment-traffic.ts'
import type { DescribedExchanges } from '../traces/otlp/trace-store.ts'
import type { TraceSteps } from '../traces/trace-reads.ts'

/**
 * Where exchanges and their contents are stored. Everything else of the log is always in Postgres: families of segments,
 * spans that are not exchanges, datasets, files and settings.
 */
export interface ExchangeStore {
  /** Writes exchanges, each request once. */
  readonly log: ExchangeLog
  readonly described: DescribedExchanges
  readonly imports: ImportStore
  readonly reads: ExchangeReads
  readonly counts: ExchangeCounts
  readonly traceSteps: TraceSteps
  readonly segments: SegmentTrafficReads
  readonly picks: ExchangePicks
  readonly runPicks: RunPicks
  readonly retention: ExchangeRetention
  readonly findMissing: FindMissing
}
