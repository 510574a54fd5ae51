import { connectPool } from '@ratchet/db/connect-pool'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import type { Logger } from 'pino'
import { rememberingCount } from './domain/remembered-count.ts'
import { noProgress } from './domain/setup-status.ts'
import type { ReadRouteDeps } from './routes/reads.ts'
import { createPgExchangeReads } from './store/pg-exchange-reads.ts'
import { createPgTraceReads } from './store/pg-trace-reads.ts'
import { createPgWorkspaceReads } from './store/pg-workspace-reads.ts'
import { readSettings, readTimeouts } from './store/run-read.ts'

export interface StartReadsOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

/** What reading the log needs: a pool of its own, so that no export keeps anything from being written. */
export function startReads({ databaseUrl, logger, lifecycle }: StartReadsOptions): Omit<ReadRouteDeps, 'now'> {
  const pool = connectPool({
    databaseUrl,
    role: 'ratchet_logging',
    max: 8,
    ...readTimeouts,
    settings: readSettings,
    onIdleError: (error) => logger.warn({ err: error }, 'database connection lost'),
  })
  lifecycle.onStop(() => pool.end())
  const workspaces = createPgWorkspaceReads(pool)
  return {
    exchanges: createPgExchangeReads(pool),
    traces: createPgTraceReads(pool),
    workspaces: { ...workspaces, countExchanges: rememberingCount(workspaces.countExchanges) },
    progressOf: async () => noProgress,
  }
}
