import type { Pool } from '@ratchet/db/connect-pool'
import { createPgExchanges } from '../exchanges/pg-exchanges.ts'
import { createPgImports } from '../imports/pg-imports.ts'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { createPgExchangePicks } from '../picks/pg-exchange-picks.ts'
import { createPgRunPicks } from '../picks/pg-run-picks.ts'
import { createPgFindMissing } from '../reconciliation/pg-find-missing.ts'
import { createPgExchangeRetention } from '../retention/pg-exchange-retention.ts'
import { createPgSegmentTraffic } from '../segments/pg-segment-traffic.ts'
import { createPgDuplicates } from '../traces/otlp/pg-duplicates.ts'
import { createPgRelatedExchanges } from '../traces/otlp/pg-related-exchanges.ts'
import { createPgTraceSteps } from '../traces/pg-trace-steps.ts'
import type { ExchangeStore } from './exchange-store.ts'

export interface PgExchangeStoreOptions {
  readonly writes: Pool
  /** Serves nothing else, because reads may take long. */
  readonly reads: Pool
  readonly sweeps: Pool
  /** Makes ids of blocks; null to store each content in its own row. */
  readonly newBlockId: (() => string) | null
}

/** Stores exchanges in Postgres. Each part opens no connection until it is used. */
export function createPgExchangeStore({ writes, reads, sweeps, newBlockId }: PgExchangeStoreOptions): ExchangeStore {
  return {
    log: createPgExchanges({ pool: writes, newBlockId }),
    described: { ...createPgRelatedExchanges(writes), ...createPgDuplicates(writes) },
    imports: createPgImports(writes),
    reads: createPgExchangeReads(reads),
    traceSteps: createPgTraceSteps(reads),
    segments: createPgSegmentTraffic(reads),
    picks: createPgExchangePicks(reads),
    runPicks: createPgRunPicks(reads),
    retention: createPgExchangeRetention(sweeps),
    findMissing: createPgFindMissing(writes),
  }
}
