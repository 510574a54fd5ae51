import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import { createRedis } from '@ratchet/service-kit/process/create-redis'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { startWorkerProcess, type WorkerParts } from '@ratchet/work-kit/processes/start-worker-process'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createCaptureStream } from './capture/capture-stream.ts'
import { startCaptureWorker, type WorkerEvent } from './capture/capture-worker.ts'
import { createIngest } from './capture/ingest.ts'
import { readStreamState, watchStream } from './capture/watch-stream.ts'
import { createLoggingEvents, type LoggingEvents } from './events.ts'
import { compareWithCharges } from './reconciliation/compare-with-charges.ts'
import { reconcileCharges } from './reconciliation/pg-reconciliation.ts'
import { redactSmallHere } from './redaction/redact-small-here.ts'
import { createRedactionThread } from './redaction/redaction-thread.ts'
import { sweepLog } from './retention/pg-retention.ts'
import { connectStore, logConfig, mergingLog } from './start-log.ts'
import type { ExchangeStore } from './store/exchange-store.ts'

export const LoggingWorkerConfig = z.object({
  ...httpServiceConfig,
  ...logConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /** Milliseconds after which exchanges that another worker read and did not store are taken over. */
  CAPTURE_CLAIM_IDLE_MS: z.coerce.number().int().min(100).default(30_000),
})
export type LoggingWorkerConfig = z.output<typeof LoggingWorkerConfig>

const sweepEveryMs = 600_000
const compareEveryMs = 60_000
/** The worker counts as stuck after so many milliseconds without progress. */
const stuckAfterMs = 30_000

/** Starts a worker of the log; `PORT` answers probes and metrics. Resolves with the port it is bound to. */
export function startLoggingWorker(config: LoggingWorkerConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const definition = {
    name: 'logging-worker',
    database: poolOptions({ max: 2, timeoutMs: 30_000 }),
    progressLimits: { stuckAfterMs },
    checksDatabase: false,
  } as const
  return startWorkerProcess(definition, { config, logger, lifecycle }, (parts) => {
    const newId = () => uuidV7(parts.now().getTime())
    const sweeps = connectSweeps(config, lifecycle, logger)
    const { pool, now } = parts
    const { onStop } = lifecycle
    const store = connectStore(config, { writes: pool, reads: pool, sweeps, newId, now, onStop })
    const context = { ...parts, events: createLoggingEvents(parts.metrics, logger), store, sweeps, newId }
    startRetention(context)
    startCapture(config, context)
  })
}

interface WorkerContext extends WorkerParts {
  readonly events: LoggingEvents
  readonly store: ExchangeStore
  readonly sweeps: Pool
  readonly newId: () => string
}

/** Stores exchanges that the gateway wrote to the stream. */
function startCapture(
  { REDIS_URL, CAPTURE_CLAIM_IDLE_MS: claimIdleMs }: LoggingWorkerConfig,
  { pool, store, newId, logger, lifecycle, events, now, progress, metrics }: WorkerContext,
): void {
  const { ingest } = createIngest({
    log: mergingLog(store, logger),
    redactor: redactSmallHere(createRedactionThread({ onStop: lifecycle.onStop, onCrash: events.redactionCrashed })),
    now,
    newId,
    onEvent: events.ingest,
  })
  const redis = connectRedis(REDIS_URL, { logger, lifecycle })
  watchStream({ metrics, redis, now, onStop: lifecycle.onStop })
  const reconcile = (before: Date) => reconcileCharges({ pool, findMissing: store.findMissing }, before)
  const readOldestAtMs = async () => (await readStreamState(redis)).oldestAtMs
  const compare = () => compareWithCharges({ reconcile, readOldestAtMs, now, onResult: events.reconciled })
  lifecycle.onStop(repeatEvery({ everyMs: compareEveryMs, work: compare, onError: events.reconciliationFailed }))
  const stream = createCaptureStream({
    redis,
    consumer: `${hostname()}-${randomUUID()}`,
    claimIdleMs,
  })
  const claimEveryMs = Math.min(5_000, claimIdleMs)
  const { onProgress } = progress
  const onFailure = progress.whileUnavailable(events.worker)
  const onEvent = (event: WorkerEvent) => (event.kind === 'failed' ? onFailure(event) : events.worker(event))
  const worker = startCaptureWorker({ stream, ingest, now, onEvent, onProgress, claimEveryMs })
  lifecycle.onStop(() => worker.stop())
}

/** One connection holds the lock of the sweep meanwhile. */
function connectSweeps({ DATABASE_URL: databaseUrl }: LoggingWorkerConfig, lifecycle: Lifecycle, logger: Logger): Pool {
  return connectProcessPool({ databaseUrl, ...poolOptions({ max: 2, timeoutMs: 60_000 }) }, { ...lifecycle, logger })
}

function startRetention({ store, sweeps, lifecycle, events, now }: WorkerContext): void {
  const work = async () => events.swept(await sweepLog(sweeps, store.retention, now()))
  void work().catch(events.sweepFailed)
  lifecycle.onStop(repeatEvery({ everyMs: sweepEveryMs, work, onError: events.sweepFailed }))
}

function poolOptions({ max, timeoutMs }: { readonly max: number; readonly timeoutMs: number }) {
  const timeouts = { statementTimeoutMs: timeoutMs, queryTimeoutMs: timeoutMs, connectTimeoutMs: 2_000 }
  return { role: 'ratchet_logging', max, ...timeouts } as const
}

/** Fails commands fast while Redis is unavailable, because the worker retries itself. */
function connectRedis(url: string, { logger, lifecycle }: Pick<WorkerContext, 'logger' | 'lifecycle'>): Redis {
  const onError = (error: Error) => logger.debug({ err: error }, 'Redis is unavailable')
  return createRedis({ url, commandTimeoutMs: 5_000, waitsForConnection: true, onStop: lifecycle.onStop, onError })
}
