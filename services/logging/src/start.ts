import { connectPool } from '@ratchet/db/connect-pool'
import { httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import { createIngest } from './capture/ingest.ts'
import { createLoggingEvents } from './events.ts'
import { createTraceEvents } from './otlp/trace-events.ts'
import { createTraceIngest } from './otlp/trace-ingest.ts'
import { startDatasets } from './start-datasets.ts'
import { connectLog } from './start-log.ts'
import { startReads } from './start-reads.ts'
import { createPgTraces } from './store/pg-traces.ts'

export const LoggingConfig = z.object({
  ...httpServiceConfig,
  IDENTITY_KEYS: NamedKeys,
})
export type LoggingConfig = z.output<typeof LoggingConfig>

/** Starts the log's API and resolves with the port it is bound to. */
export async function startLogging(config: LoggingConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const now = () => new Date()
  const metrics = createProcessMetrics('logging')
  const events = createLoggingEvents(metrics, logger)
  const pool = connectPool({
    databaseUrl: config.DATABASE_URL,
    role: 'ratchet_logging',
    max: 10,
    statementTimeoutMs: 5_000,
    queryTimeoutMs: 5_000,
    connectTimeoutMs: 1_000,
    onIdleError: (error) => logger.warn({ err: error }, 'database connection lost'),
  })
  lifecycle.onStop(() => pool.end())
  const health = { drain: createDrain(), checks: { postgres: () => pool.query('SELECT 1') }, now }
  const log = connectLog(pool, logger)
  const newId = () => uuidV7(now().getTime())
  const { ingest } = createIngest({
    log,
    now,
    newId,
    onEvent: events.ingest,
  })
  const traces = createTraceIngest({
    log,
    store: createPgTraces(pool),
    now,
    onEvent: createTraceEvents(metrics),
  })
  const app = createApp({
    ...startReads({ databaseUrl: config.DATABASE_URL, logger, lifecycle }),
    ...startDatasets({ databaseUrl: config.DATABASE_URL, logger, lifecycle }),
    newId,
    ingest,
    ingestTraces: traces.ingest,
    identityKeys: config.IDENTITY_KEYS,
    logger,
    metrics,
    health,
    serveMetrics: config.ADMIN_PORT === undefined,
    now,
  })
  return serveService(config, { app, health, metrics, lifecycle })
}
