import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool, requestTimeouts } from '@ratchet/db/connect-process-pool'
import { type CallerContext, connectService } from '@ratchet/service-kit/fleet/connect-service'
import { CallerKeys, calleeConfig, readCallee } from '@ratchet/service-kit/identity/caller-keys'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import { connectNotices } from '@ratchet/work-kit/live/connect-notices'
import { type AppParts, startApi } from '@ratchet/work-kit/processes/start-api'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import { createIngest } from './capture/ingest.ts'
import { createCurationPlaces } from './datasets/curation-places.ts'
import { createDataUse } from './datasets/data-use.ts'
import { createVerdictsOfLogs } from './datasets/verdicts-of-logs.ts'
import { createLoggingEvents } from './events.ts'
import { createNotifyLog, withLogNotices, withSpanNotices } from './exchanges/notify-log.ts'
import { readSettings, readTimeouts } from './exchanges/pg-run-read.ts'
import { createPgFeedback } from './feedback/pg-feedback.ts'
import { createUploadReader } from './imports/upload-reader.ts'
import { redactSmallHere } from './redaction/redact-small-here.ts'
import { createRedactionThread } from './redaction/redaction-thread.ts'
import { createFindFamily } from './segments/pg-segment-families.ts'
import { createSkeletonReader } from './segments/skeleton-reader.ts'
import { readProgress } from './setup/read-progress.ts'
import { startDatasets } from './start-datasets.ts'
import { connectStore, logConfig, mergingLog } from './start-log.ts'
import { createPgStorage } from './storage/pg-storage.ts'
import { createExportReader } from './traces/otlp/export-reader.ts'
import { createPgSpans } from './traces/otlp/pg-spans.ts'
import { createTraceEvents } from './traces/otlp/trace-events.ts'
import { createTraceIngest } from './traces/otlp/trace-ingest.ts'
import { createPgSpanReads } from './traces/pg-span-reads.ts'
import { traceReads } from './traces/trace-reads.ts'
import { createPgWorkspaceReads } from './workspaces/pg-workspace-reads.ts'

export const LoggingConfig = z.object({
  ...httpServiceConfig,
  ...logConfig,
  ...calleeConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_KEYS: CallerKeys,
  EVAL_URL: z.url({ protocol: /^https?$/ }),
  EVAL_KEYS: CallerKeys,
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_KEYS: CallerKeys,
  TRAINING_URL: z.url({ protocol: /^https?$/ }),
  TRAINING_KEYS: CallerKeys,
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
  const { onStop } = lifecycle
  const reads = connectReads(config, lifecycle, logger)
  const readPlaces = createFairPlaces({ places: readConnections, maxOfOwner: readConnections / 4 })
  const skeletons = createSkeletonReader({ onStop, ...skeletonLimits })
  const pools = { writes: pool, reads, places: readPlaces, sweeps: pool }
  const store = connectStore(config, { ...pools, skeletons, newId, now, onStop })
  const notifyLog = createNotifyLog(connectNotices(config.REDIS_URL, { lifecycle, logger }), now)
  const log = withLogNotices(mergingLog(store, logger), notifyLog)
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
  // Redaction has one thread, and a batch waits for the database too.
  const places = createFairPlaces({ places: 6, maxOfOwner: 2, maxWaitMs: 30_000 })
  const ingestTraces = createTraceIngest({
    places,
    log,
    reader: createExportReader({ onStop }),
    store: withSpanNotices({ ...createPgSpans(pool), ...store.described }, notifyLog),
    redactor,
    now,
    onEvent: createTraceEvents(metrics),
  })
  const fleet = connectFleet(config, { ...lifecycle, now })
  return createApp({
    ...parts,
    exchanges: store.reads,
    traces: traceReads(store.traceSteps, createPgSpanReads(reads, readPlaces)),
    segments: store.segments,
    findFamily: createFindFamily(pool, skeletons),
    counts: store.counts,
    picks: store.picks,
    runPicks: store.runPicks,
    workspaces: createPgWorkspaceReads(reads, readPlaces),
    ...startDatasets({ databaseUrl: config.DATABASE_URL, logger, lifecycle }),
    dataUse: createDataUse(fleet),
    evals: fleet.evalSamples,
    verdictsOf: createVerdictsOfLogs(fleet.judging),
    curationPlaces: createCurationPlaces(),
    slicedWork: createSlicedWork(),
    progressOf: (workspaceId) => readProgress(fleet, workspaceId),
    redactor,
    uploads: createUploadReader({ onStop }),
    ingest,
    ingestTraces: ingestTraces.ingest,
    log,
    importStore: store.imports,
    storage: createPgStorage(pool),
    feedback: createPgFeedback(pool),
    firstAnswers: createPgFirstAnswers(pool, 'logging_answer'),
    places,
    onImport: events.ingest,
    ...readCallee(config),
  })
}

/** Each process of inference asks for three prompts of a workspace at a time and waits a second; imports wait longer. */
const skeletonLimits = { maxWaitMs: 5_000, maxWaitingOfWorkspace: 32 }

/** A workspace uses a quarter of them at a time, so that its slow reads do not delay those of others. */
const readConnections = 8

/** Reads have a pool of their own, so that an export does not delay writes. */
function connectReads({ DATABASE_URL: databaseUrl }: LoggingConfig, lifecycle: Lifecycle, logger: Logger): Pool {
  return connectProcessPool(
    { databaseUrl, role: 'ratchet_logging', max: readConnections, ...readTimeouts, settings: readSettings },
    { ...lifecycle, logger },
  )
}

/** Milliseconds. A status request must not wait long for other services. */
const statusClocks = { firstByteMs: 2_000, idleMs: 2_000, totalMs: 3_000 }

/** Connects the services that count grades, evals and aliases for the setup status, and those whose jobs read data. */
function connectFleet(config: LoggingConfig, context: CallerContext) {
  const common = { connections: 4, clocks: statusClocks } as const
  const { JUDGING_URL, JUDGING_KEYS, EVAL_URL, EVAL_KEYS, ALIAS_URL, ALIAS_KEYS } = config
  const { TRAINING_URL, TRAINING_KEYS } = config
  return {
    judging: connectService({ ...common, audience: 'judging', url: JUDGING_URL, keys: JUDGING_KEYS }, context),
    eval: connectService({ ...common, audience: 'eval', url: EVAL_URL, keys: EVAL_KEYS }, context),
    evalSamples: connectService({ connections: 4, audience: 'eval', url: EVAL_URL, keys: EVAL_KEYS }, context),
    alias: connectService({ ...common, audience: 'alias', url: ALIAS_URL, keys: ALIAS_KEYS }, context),
    training: connectService({ ...common, audience: 'training', url: TRAINING_URL, keys: TRAINING_KEYS }, context),
  }
}
