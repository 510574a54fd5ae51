import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { captureSealPurpose } from '@ratchet/contracts/captured-exchange'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { NamedKeys } from '@ratchet/service-kit/identity/identity'
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
import { beginWalFile, rewriteAfterDeletions } from './retention/pg-rewrite.ts'
import { rewriteAppendOnlyFile } from './retention/redis-rewrite.ts'
import { connectLog, logConfig } from './start-log.ts'

export const LoggingWorkerConfig = z.object({
  ...httpServiceConfig,
  ...logConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /** Those of the API of logging. Inference has them too, and seals captured exchanges with a key that they give. */
  IDENTITY_KEYS: NamedKeys,
  /** Milliseconds after which exchanges that another worker read and did not store are taken over. */
  CAPTURE_CLAIM_IDLE_MS: z.coerce.number().int().min(100).default(30_000),
  /** Milliseconds after which the files of Postgres and Redis are written again without what was deleted. */
  ERASE_AFTER_MS: z.coerce.number().int().min(1).default(43_200_000),
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
    const context = { ...parts, events: createLoggingEvents(parts.metrics, logger) }
    const redis = connectRedis(config.REDIS_URL, { logger, lifecycle })
    startRetention(config, redis, context)
    startCapture(config, redis, context)
  })
}

interface WorkerContext extends WorkerParts {
  readonly events: LoggingEvents
}

/** Stores exchanges that the gateway wrote to the stream. */
function startCapture(
  { IDENTITY_KEYS: keys, CAPTURE_CLAIM_IDLE_MS: claimIdleMs, CONTENT_BLOCKS: hasBlocks }: LoggingWorkerConfig,
  redis: Redis,
  { pool, logger, lifecycle, events, now, progress, metrics }: WorkerContext,
): void {
  const newId = () => uuidV7(now().getTime())
  const { ingest } = createIngest({
    log: connectLog({ pool, logger, hasBlocks, newId }),
    redactor: redactSmallHere(createRedactionThread({ onStop: lifecycle.onStop, onCrash: events.redactionCrashed })),
    now,
    newId,
    onEvent: events.ingest,
  })
  watchStream({ metrics, redis, now, onStop: lifecycle.onStop })
  const reconcile = (before: Date) => reconcileCharges(pool, before)
  const readOldestAtMs = async () => (await readStreamState(redis)).oldestAtMs
  const compare = () => compareWithCharges({ reconcile, readOldestAtMs, now, onResult: events.reconciled })
  lifecycle.onStop(repeatEvery({ everyMs: compareEveryMs, work: compare, onError: events.reconciliationFailed }))
  const stream = createCaptureStream({
    redis,
    seal: createByteSeal({ keys, purpose: captureSealPurpose, randomBytes, now }),
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

/** Deletes what has expired, and removes what was deleted from the files of Postgres and Redis. */
function startRetention(
  { DATABASE_URL, ERASE_AFTER_MS: afterMs }: LoggingWorkerConfig,
  redis: Redis,
  { logger, lifecycle, events, now }: WorkerContext,
): void {
  const options = { databaseUrl: DATABASE_URL, ...poolOptions({ max: 1, timeoutMs: 60_000 }) }
  const pool = connectProcessPool(options, { ...lifecycle, logger })
  const sweep = async () => events.swept(await sweepLog(pool, now()))
  const rewrite = async () => {
    events.rewritten(await rewriteAfterDeletions(pool, { before: new Date(now().getTime() - afterMs) }))
  }
  const work = async () => {
    await sweep().catch(events.sweepFailed)
    await rewrite().catch(events.rewriteFailed)
    await beginWalFile(pool).catch(events.rewriteFailed)
    await rewriteAppendOnlyFile(redis, afterMs).catch(events.rewriteFailed)
  }
  void work()
  lifecycle.onStop(repeatEvery({ everyMs: Math.min(sweepEveryMs, afterMs), work, onError: events.sweepFailed }))
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
