import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Logger } from 'pino'
import { readSettings, readTimeouts } from './exchanges/pg-run-read.ts'
import { createPgExchangeReads } from './logs/pg-exchange-reads.ts'
import { createPgExchangePicks } from './picks/pg-exchange-picks.ts'
import { createPgRunPicks } from './picks/pg-run-picks.ts'
import type { PickRouteDeps } from './picks/routes.ts'
import { createPgSegmentTraffic } from './segments/pg-segment-traffic.ts'
import type { SegmentRouteDeps } from './segments/routes.ts'
import { createPgTraceReads } from './traces/pg-trace-reads.ts'
import type { TraceRouteDeps } from './traces/routes.ts'
import { createPgWorkspaceReads } from './workspaces/pg-workspace-reads.ts'

/** A workspace uses a quarter of them at a time, so that its slow reads do not delay those of others. */
const connections = 8

export interface StartReadsOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

/** Connects the stores that read the log. They have a pool of their own, so that an export does not delay writes. */
export function startReads({
  databaseUrl,
  logger,
  lifecycle,
}: StartReadsOptions): Omit<SegmentRouteDeps & TraceRouteDeps & PickRouteDeps, 'now'> {
  const pool = connectProcessPool(
    { databaseUrl, role: 'ratchet_logging', max: connections, ...readTimeouts, settings: readSettings },
    { ...lifecycle, logger },
  )
  const places = createFairPlaces({ places: connections, maxOfOwner: connections / 4 })
  return {
    exchanges: createPgExchangeReads(pool, places),
    picks: createPgExchangePicks(pool, places),
    runPicks: createPgRunPicks(pool, places),
    traces: createPgTraceReads(pool, places),
    segments: createPgSegmentTraffic(pool, places),
    workspaces: createPgWorkspaceReads(pool, places),
  }
}
