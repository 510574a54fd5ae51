import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
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
    { databaseUrl, role: 'ratchet_logging', max: 8, ...readTimeouts, settings: readSettings },
    { ...lifecycle, logger },
  )
  return {
    exchanges: createPgExchangeReads(pool),
    picks: createPgExchangePicks(pool),
    runPicks: createPgRunPicks(pool),
    traces: createPgTraceReads(pool),
    segments: createPgSegmentTraffic(pool),
    workspaces: createPgWorkspaceReads(pool),
  }
}
