import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool, requestTimeouts } from '@ratchet/db/connect-process-pool'
import { type CallerContext, connectService } from '@ratchet/service-kit/fleet/connect-service'
import { NamedKeys } from '@ratchet/service-kit/identity/identity'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { type AppParts, startApi } from '@ratchet/work-kit/processes/start-api'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import { createIngest } from './capture/ingest.ts'
import { createLoggingEvents } from './events.ts'
import { readSettings, readTimeouts } from './exchanges/pg-run-read.ts'
import { redactSmallHere } from './redaction/redact-small-here.ts'
import { createRedactionThread } from './redaction/redaction-thread.ts'
import { type ProgressFleet, readProgress } from './setup/read-progress.ts'
import { startDatasets } from './start-datasets.ts'
import { connectStore, logConfig, mergingLog } from './start-log.ts'
import { createPgSpans } from './traces/otlp/pg-spans.ts'
import { createTraceEvents } from './traces/otlp/trace-events.ts'
import { createTraceIngest } from './traces/otlp/trace-ingest.ts'
import { createPgSpanReads } from './traces/pg-span-reads.ts'
import { traceReads } from './traces/trace-reads.ts'
import { createPgWorkspaceReads } from './workspaces/pg-workspace-reads.ts'

export const LoggingConfig = z.object({
  ...httpServiceConfig,
  ...logConfig,
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
export function startLogging(config: LoggingConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const database = { role: 'ratchet_logging', max: 10, ...requestTimeouts } as const
  return startApi({ name: 'logging', database }, { config, logger, lifecycle }, (parts, pool) =>
    createLoggingApp(config, lifecycle, parts, pool),
  )
}

function createLoggingApp(config: LoggingConfig, lifecycle: Lifecycle, parts: AppParts, pool: Pool): Express {
  const { logger, metrics, now, newId } = parts
  const events = createLoggingEvents(metrics, logger)
  const reads = connectReads(config, lifecycle, logger)
  const store = connectStore(config, { writes: pool, reads, sweeps: pool, newId, now, onStop: lifecycle.onStop })
  const log = mergingLog(store, logger)
  const redactor = redactSmallHere(
    createRedactionThread({ onStop: lifecycle.onStop, onCrash: events.redactionCrashed }),
  )
  const { ingest } = createIngest({
    log,
    redactor,
    now,
    newId,
    onEvent: events.ingest,
  })
  const ingestTraces = createTraceIngest({
    log,
    store: { ...createPgSpans(pool), ...store.described },
    redactor,
    now,
    onEvent: createTraceEvents(metrics),
  })
  const fleet = connectFleet(config, { ...lifecycle, now })
  return createApp({
    ...parts,
    exchanges: store.reads,
    traces: traceReads(store.traceSteps, createPgSpanReads(reads)),
    segments: store.segments,
    picks: store.picks,
    runPicks: store.runPicks,
    workspaces: createPgWorkspaceReads(reads),
    ...startDatasets({ databaseUrl: config.DATABASE_URL, logger, lifecycle }),
    progressOf: (workspaceId) => readProgress(fleet, workspaceId),
    redactor,
    ingest,
    ingestTraces: ingestTraces.ingest,
    log,
    importStore: store.imports,
    onImport: events.ingest,
    identityKeys: config.IDENTITY_KEYS,
  })
}

/** Reads have a pool of their own, so that an export does not delay writes. */
function connectReads({ DATABASE_URL: databaseUrl }: LoggingConfig, lifecycle: Lifecycle, logger: Logger): Pool {
  return connectProcessPool(
    { databaseUrl, role: 'ratchet_logging', max: 8, ...readTimeouts, settings: readSettings },
    { ...lifecycle, logger },
  )
}

/** Milliseconds. A status request must not wait long for other services. */
const statusClocks = { firstByteMs: 2_000, idleMs: 2_000, totalMs: 3_000 }

/** Connects the services that count grades, evals and aliases for the setup status. */
function connectFleet(config: LoggingConfig, context: CallerContext): ProgressFleet {
  const common = { connections: 4, clocks: statusClocks } as const
  const { JUDGING_URL, JUDGING_KEYS, EVAL_URL, EVAL_KEYS, ALIAS_URL, ALIAS_KEYS } = config
  return {
    judging: connectService({ ...common, audience: 'judging', url: JUDGING_URL, keys: JUDGING_KEYS }, context),
    eval: connectService({ ...common, audience: 'eval', url: EVAL_URL, keys: EVAL_KEYS }, context),
    alias: connectService({ ...common, audience: 'alias', url: ALIAS_URL, keys: ALIAS_KEYS }, context),
  }
}
