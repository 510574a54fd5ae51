import type { Pool } from '@ratchet/db/connect-pool'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createPgExchanges } from '../exchanges/pg-exchanges.ts'
import { createPgImports } from '../imports/pg-imports.ts'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { createPgExchangeCounts } from '../overview/pg-exchange-counts.ts'
import { createPgExchangePicks } from '../picks/pg-exchange-picks.ts'
import { createPgRunPicks } from '../picks/pg-run-picks.ts'
import { createPgFindMissing } from '../reconciliation/pg-find-missing.ts'
import { createPgExchangeRetention } from '../retention/pg-exchange-retention.ts'
import { createPgSegmentTraffic } from '../segments/pg-segment-traffic.ts'
import type { SkeletonReader } from '../segments/skeleton-reader.ts'
import { createPgDuplicates } from '../traces/otlp/pg-duplicates.ts'
import { createPgRelatedExchanges } from '../traces/otlp/pg-related-exchanges.ts'
import { createPgTraceSteps } from '../traces/pg-trace-steps.ts'
import type { ExchangeStore } from './exchange-store.ts'

export interface PgExchangeStoreOptions {
  readonly writes: Pool
  /** Serves nothing else, because reads may take long. */
  readonly reads: Pool
  /** Places of `reads` by workspace; absent: without limits. */
  readonly places?: FairPlaces | undefined
  readonly sweeps: Pool
  /** Makes ids of blocks; null to store each content in its own row. */
  readonly newBlockId: (() => string) | null
  readonly skeletons: SkeletonReader
}

/** Stores exchanges in Postgres. Each part opens no connection until it is used. */
export function createPgExchangeStore(options: PgExchangeStoreOptions): ExchangeStore {
  const { writes, reads, places, sweeps, newBlockId, skeletons } = options
  return {
    log: createPgExchanges({ pool: writes, newBlockId, skeletons }),
    described: { ...createPgRelatedExchanges(writes), ...createPgDuplicates(writes) },
    imports: createPgImports(writes),
    reads: createPgExchangeReads(reads, places),
    counts: createPgExchangeCounts(reads, places),
    traceSteps: createPgTraceSteps(reads, places),
    segments: createPgSegmentTraffic(reads, places),
    picks: createPgExchangePicks(reads, places),
    runPicks: createPgRunPicks(reads, places),
    retention: createPgExchangeRetention(sweeps),
    findMissing: createPgFindMissing(writes),
  }
}
