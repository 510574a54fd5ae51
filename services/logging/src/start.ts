import { connectProcessPool, requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { createUpstream } from '@ratchet/http/create-upstream'
import { httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { createFleetClient } from '@ratchet/service-kit/fleet-client'
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
import { type ProgressFleet, readProgress } from './fleet/read-progress.ts'
import { createTraceEvents } from './otlp/trace-events.ts'
import { createTraceIngest } from './otlp/trace-ingest.ts'
import { createRedactionThread } from './redaction/redaction-thread.ts'
import { startDatasets } from './start-datasets.ts'
import { connectLog } from './start-log.ts'
import { startReads } from './start-reads.ts'
import { createPgImports } from './store/pg-imports.ts'
import { createPgTraces } from './store/pg-traces.ts'

export const LoggingConfig = z.object({
  ...httpServiceConfig,
  IDENTITY_KEYS: NamedKeys,
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_KEYS: NamedKeys,
  EVAL_URL: z.url({ protocol: /^https?$/ }),
  EVAL_KEYS: NamedKeys,
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_KEYS: NamedKeys,
})
export type LoggingConfig = z.output<typeof LoggingConfig>

/** Starts the log's API and resolves with the port it is bound to. */
export async function startLogging(config: LoggingConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const now = () => new Date()
  const metrics = createProcessMetrics('logging')
  const events = createLoggingEvents(metrics, logger)
  const pool = connectProcessPool(
    { databaseUrl: config.DATABASE_URL, role: 'ratchet_logging', max: 10, ...requestTimeouts },
    { ...lifecycle, logger },
  )
  const health = {
    drain: createDrain(),
    checks: { postgres: () => pool.query('SELECT 1') },
    startChecks: { schema: createSchemaCheck(pool) },
    now,
  }
  const log = connectLog(pool, logger)
  const newId = () => uuidV7(now().getTime())
  const redactor = createRedactionThread({ onStop: lifecycle.onStop, onCrash: events.redactionCrashed })
  const { ingest } = createIngest({
    log,
    redactor,
    now,
    newId,
    onEvent: events.ingest,
  })
  const traces = createTraceIngest({
    log,
    store: createPgTraces(pool),
    redactor,
    now,
    onEvent: createTraceEvents(metrics),
  })
  const fleet = connectFleet(config, lifecycle)
  const app = createApp({
    ...startReads({ databaseUrl: config.DATABASE_URL, logger, lifecycle }),
    ...startDatasets({ databaseUrl: config.DATABASE_URL, logger, lifecycle }),
    progressOf: (workspaceId) => readProgress(fleet, workspaceId),
    newId,
    redactor,
    ingest,
    ingestTraces: traces.ingest,
    log,
    importStore: createPgImports(pool),
    onImport: events.ingest,
    identityKeys: config.IDENTITY_KEYS,
    logger,
    metrics,
    health,
    serveMetrics: config.ADMIN_PORT === undefined,
    now,
  })
  return serveService(config, { app, health, metrics, lifecycle, logger })
}

/** Nobody waits long for a status. */
const statusClocks = { firstByteMs: 2_000, idleMs: 2_000, totalMs: 3_000 }

/** Who counts what the setup status tells. */
function connectFleet(config: LoggingConfig, { onStop }: Lifecycle): ProgressFleet {
  const now = () => new Date()
  const newId = () => uuidV7(Date.now())
  const connect = (audience: 'judging' | 'eval' | 'alias', url: string, [key]: LoggingConfig['EVAL_KEYS']) => {
    const upstream = createUpstream({ origin: new URL(url).origin, connections: 4, connectTimeoutMs: 1_000 })
    onStop(() => upstream.destroy())
    return createFleetClient({ audience, upstream, key, now, newId, clocks: statusClocks })
  }
  return {
    judging: connect('judging', config.JUDGING_URL, config.JUDGING_KEYS),
    eval: connect('eval', config.EVAL_URL, config.EVAL_KEYS),
    alias: connect('alias', config.ALIAS_URL, config.ALIAS_KEYS),
  }
}
