import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { createAdminApp } from '@ratchet/service-kit/http-app'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { showProgressOf } from '@ratchet/service-kit/show-progress'
import { type ProgressWatch, watchProgress } from '@ratchet/service-kit/watch-progress'
import { createProcessMetrics, type ProcessMetrics } from '@ratchet/telemetry/metrics'
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createCaptureStream } from './capture/capture-stream.ts'
import { startCaptureWorker, type WorkerEvent } from './capture/capture-worker.ts'
import { createIngest } from './capture/ingest.ts'
import { watchStream } from './capture/watch-stream.ts'
import { createLoggingEvents, type LoggingEvents } from './events.ts'
import { createRedactionThread } from './redaction/redaction-thread.ts'
import { connectLog } from './start-log.ts'
import { sweepLog } from './store/retention.ts'

export const LoggingWorkerConfig = z.object({
  ...httpServiceConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /** Milliseconds after which exchanges that another worker took and did not store are taken over. */
  CAPTURE_CLAIM_IDLE_MS: z.coerce.number().int().min(100).default(30_000),
})
export type LoggingWorkerConfig = z.output<typeof LoggingWorkerConfig>

const sweepEveryMs = 600_000
/** Without any progress for so long the worker counts as stuck. */
const stuckAfterMs = 30_000

/** Starts a worker of the log; `PORT` answers probes and metrics. Resolves with the port it is bound to. */
export async function startLoggingWorker(
  config: LoggingWorkerConfig,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<number> {
  const now = () => new Date()
  const metrics = createProcessMetrics('logging-worker')
  const events = createLoggingEvents(metrics, logger)
  const progress = showProgressOf(metrics, watchProgress(now, { stuckAfterMs }), now)
  const context = { logger, lifecycle, events, now, metrics, progress }
  startRetention(config, context)
  const pool = startMoving(config, context)
  const health = {
    drain: createDrain(),
    checks: { progress: progress.check },
    startChecks: { schema: createSchemaCheck(pool) },
    lifeChecks: { progress: progress.checkLife },
    now,
  }
  return serveService(config, { app: createAdminApp({ health, metrics }), health, metrics, lifecycle, logger })
}

interface WorkerContext {
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly events: LoggingEvents
  readonly now: () => Date
  readonly progress: ProgressWatch
}

/** @returns the pool that exchanges are stored through */
function startMoving(
  { DATABASE_URL, REDIS_URL, CAPTURE_CLAIM_IDLE_MS: claimIdleMs }: LoggingWorkerConfig,
  { logger, lifecycle, events, now, progress, metrics }: WorkerContext & { readonly metrics: ProcessMetrics },
): Pool {
  const pool = connectWorkerPool(DATABASE_URL, { logger, lifecycle }, { max: 2, timeoutMs: 30_000 })
  const { ingest } = createIngest({
    log: connectLog(pool, logger),
    redactor: createRedactionThread({ onStop: lifecycle.onStop, onCrash: events.redactionCrashed }),
    now,
    newId: () => uuidV7(now().getTime()),
    onEvent: events.ingest,
  })
  const redis = connectRedis(REDIS_URL, { logger, lifecycle })
  watchStream({ metrics, redis, now, onStop: lifecycle.onStop })
  const stream = createCaptureStream({
    redis,
    consumer: `${hostname()}-${randomUUID()}`,
    claimIdleMs,
  })
  const claimEveryMs = Math.min(5_000, claimIdleMs)
  const { onProgress } = progress
  const onAway = progress.whileUnavailable(events.worker)
  const onEvent = (event: WorkerEvent) => (event.kind === 'failed' ? onAway(event) : events.worker(event))
  const worker = startCaptureWorker({ stream, ingest, now, onEvent, onProgress, claimEveryMs })
  lifecycle.onStop(() => worker.stop())
  return pool
}

function startRetention({ DATABASE_URL }: LoggingWorkerConfig, { logger, lifecycle, events, now }: WorkerContext) {
  const pool = connectWorkerPool(DATABASE_URL, { logger, lifecycle }, { max: 1, timeoutMs: 60_000 })
  const work = async () => events.swept(await sweepLog(pool, now()))
  void work().catch(events.sweepFailed)
  lifecycle.onStop(repeatEvery({ everyMs: sweepEveryMs, work, onError: events.sweepFailed }))
}

function connectWorkerPool(
  databaseUrl: string,
  { logger, lifecycle }: Pick<WorkerContext, 'logger' | 'lifecycle'>,
  { max, timeoutMs }: { readonly max: number; readonly timeoutMs: number },
) {
  const pool = connectProcessPool(
    {
      databaseUrl,
      role: 'ratchet_logging',
      max,
      statementTimeoutMs: timeoutMs,
      queryTimeoutMs: timeoutMs,
      connectTimeoutMs: 2_000,
    },
    { ...lifecycle, logger },
  )
  return pool
}

/** Says soon that Redis is away: the worker tries again by itself. */
function connectRedis(url: string, { logger, lifecycle }: Pick<WorkerContext, 'logger' | 'lifecycle'>): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 0,
    commandTimeout: 5_000,
    connectTimeout: 1_000,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  })
  redis.on('error', (error) => logger.debug({ err: error }, 'redis is away'))
  lifecycle.onStop(() => redis.disconnect())
  return redis
}
