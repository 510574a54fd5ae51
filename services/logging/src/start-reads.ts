import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import type { Logger } from 'pino'
import type { PickRouteDeps } from './routes/picks.ts'
import type { ReadRouteDeps } from './routes/reads.ts'
import { createPgExchangePicks } from './store/pg-exchange-picks.ts'
import { createPgExchangeReads } from './store/pg-exchange-reads.ts'
import { createPgRunPicks } from './store/pg-run-picks.ts'
import { createPgTraceReads } from './store/pg-trace-reads.ts'
import { createPgWorkspaceReads } from './store/pg-workspace-reads.ts'
import { readSettings, readTimeouts } from './store/run-read.ts'

export interface StartReadsOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

/** What reading the log needs: a pool of its own, so that no export keeps anything from being written. */
export function startReads({
  databaseUrl,
  logger,
  lifecycle,
}: StartReadsOptions): Omit<ReadRouteDeps & PickRouteDeps, 'now' | 'progressOf'> {
  const pool = connectProcessPool(
    { databaseUrl, role: 'ratchet_logging', max: 8, ...readTimeouts, settings: readSettings },
    { ...lifecycle, logger },
  )
  return {
    exchanges: createPgExchangeReads(pool),
    picks: createPgExchangePicks(pool),
    runPicks: createPgRunPicks(pool),
    traces: createPgTraceReads(pool),
    workspaces: createPgWorkspaceReads(pool),
  }
}
