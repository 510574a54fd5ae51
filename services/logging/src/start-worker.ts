import { randomBytes, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { captureSealPurpose } from '@ratchet/contracts/captured-exchange'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { keysOfCaller, NamedKeys } from '@ratchet/service-kit/identity/identity'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import { createRedis } from '@ratchet/service-kit/process/create-redis'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { startErasures } from '@ratchet/work-kit/erasure/start-erasures'
import { connectNotices } from '@ratchet/work-kit/live/connect-notices'
import { LedgerUrls } from '@ratchet/work-kit/processes/ledger-urls-config'
import { startWorkerProcess, type WorkerParts } from '@ratchet/work-kit/processes/start-worker-process'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createCaptureStream } from './capture/capture-stream.ts'
import { startCaptureWorker, type WorkerEvent } from './capture/capture-worker.ts'
import { createIngest } from './capture/ingest.ts'
import { readStreamState, watchStream } from './capture/watch-stream.ts'
import { loggingRooms } from './erasure/pg-erasure-rooms.ts'
import { createLoggingEvents, type LoggingEvents } from './events.ts'
import { createNotifyLog, withLogNotices } from './exchanges/notify-log.ts'
import { compareWithCharges } from './reconciliation/compare-with-charges.ts'
import { addLostCaptures } from './reconciliation/pg-lost-captures.ts'
import { reconcileCharges } from './reconciliation/pg-reconciliation.ts'
import type { Reconciliation } from './reconciliation/reconciliation.ts'
import { redactSmallHere } from './redaction/redact-small-here.ts'
import { createRedactionThread } from './redaction/redaction-thread.ts'
import { sweepLog } from './retention/pg-retention.ts'
import { beginWalFile, rewriteAfterDeletions } from './retention/pg-rewrite.ts'
import { rewriteAppendOnlyFile } from './retention/redis-rewrite.ts'
import { removeUnusedNames, rewriteUnusedNames } from './segments/pg-unused-families.ts'
import { createSkeletonReader } from './segments/skeleton-reader.ts'
import { connectStore, logConfig, mergingLog } from './start-log.ts'
import type { ExchangeStore } from './store/exchange-store.ts'

export const LoggingWorkerConfig = z.object({
  ...httpServiceConfig,
  ...logConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /** The keys of logging's API. Inference's keys for logging, which seal captured exchanges, are derived from them. */
  IDENTITY_KEYS: NamedKeys,
  /** Milliseconds after which exchanges that another worker read and did not store are taken over. */
  CAPTURE_CLAIM_IDLE_MS: z.coerce.number().int().min(100).default(30_000),
  /** Databases of other ledgers than the one in DATABASE_URL, whose charges are compared with the log. */
  LEDGER_DATABASE_URLS: LedgerUrls,
  /** Milliseconds after which the files of Postgres and Redis are written again without what was deleted. */
  ERASE_AFTER_MS: z.coerce.number().int().min(1).default(43_200_000),
})
export type LoggingWorkerConfig = z.output<typeof LoggingWorkerConfig>

const sweepEveryMs = 600_000
const compareEveryMs = 60_000
/** A batch waits for the prompts of all its workspaces. One workspace has no more prompts at a time than a batch has. */
const skeletonLimits = { maxWaitMs: 20_000, maxWaitingOfWorkspace: 1_000 }
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
    const skeletons = createSkeletonReader({ onStop, ...skeletonLimits })
    const store = connectStore(config, { writes: pool, reads: pool, sweeps, skeletons, newId, now, onStop })
    const context = { ...parts, events: createLoggingEvents(parts.metrics, logger), store, sweeps, newId }
    const redis = connectRedis(config.REDIS_URL, { logger, lifecycle })
    startRetention(config, redis, context)
    startCapture(config, redis, context)
    startErasures({ service: 'logging', pool, databaseUrl: config.DATABASE_URL, lifecycle, logger }, (erasing) =>
      loggingRooms({ pool: erasing, reads: store.reads, now }),
    )
  })
}

interface WorkerContext extends WorkerParts {
  readonly events: LoggingEvents
  readonly store: ExchangeStore
  readonly sweeps: Pool
  readonly newId: () => string
}

/** Stores exchanges that the gateway wrote to the stream. */
function startCapture(config: LoggingWorkerConfig, redis: Redis, context: WorkerContext): void {
  const { store, newId, logger, lifecycle, events, now, progress, metrics } = context
  const { CAPTURE_CLAIM_IDLE_MS: claimIdleMs } = config
  const keys = keysOfCaller(config.IDENTITY_KEYS, 'inference')
  // Most exchanges are redacted without a thread.
  const redactionThread = { onStop: lifecycle.onStop, isKept: false } as const
  const { ingest } = createIngest({
    log: withLogNotices(mergingLog(store, logger), createNotifyLog(connectNotices(config.REDIS_URL, context), now)),
    redactor: redactSmallHere(createRedactionThread({ ...redactionThread, onCrash: events.redactionCrashed })),
    now,
    newId,
    onEvent: events.ingest,
  })
  watchStream({ metrics, redis, now, onStop: lifecycle.onStop })
  startComparisons(config, redis, context)
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

/** Compares the charges of every ledger with the log, each apart: one that is unavailable delays no other. */
function startComparisons(
  { LEDGER_DATABASE_URLS: urls }: LoggingWorkerConfig,
  redis: Redis,
  { pool, store, logger, lifecycle, events, now }: WorkerContext,
): void {
  const options = poolOptions({ max: 1, timeoutMs: 30_000 })
  const others = [...urls.values()].map(
    (databaseUrl): Pool => connectProcessPool({ databaseUrl, ...options }, { ...lifecycle, logger }),
  )
  const readOldestAtMs = async () => (await readStreamState(redis)).oldestAtMs
  for (const ledger of [pool, ...others]) {
    const reconcile = (before: Date) => reconcileCharges({ ledger, findMissing: store.findMissing }, before)
    const onResult = (result: Reconciliation) => {
      events.reconciled(result)
      addLostCaptures(pool, result.missing, now()).catch(events.reconciliationFailed)
    }
    const work = () => compareWithCharges({ reconcile, readOldestAtMs, now, onResult })
    lifecycle.onStop(repeatEvery({ everyMs: compareEveryMs, work, onError: events.reconciliationFailed }))
  }
}

/** One connection holds the lock of the sweep meanwhile. */
function connectSweeps({ DATABASE_URL: databaseUrl }: LoggingWorkerConfig, lifecycle: Lifecycle, logger: Logger): Pool {
  return connectProcessPool({ databaseUrl, ...poolOptions({ max: 2, timeoutMs: 60_000 }) }, { ...lifecycle, logger })
}

/** Deletes what has expired, and removes what was deleted from the files of Postgres and Redis. */
function startRetention(
  { ERASE_AFTER_MS: afterMs }: LoggingWorkerConfig,
  redis: Redis,
  { store, sweeps, lifecycle, events, now }: WorkerContext,
): void {
  const before = () => new Date(now().getTime() - afterMs)
  const sweep = async () => events.swept(await sweepLog(sweeps, store.retention, now()))
  const rewrite = async () => events.rewritten(await rewriteAfterDeletions(sweeps, { before: before() }))
  const work = async () => {
    await sweep().catch(events.sweepFailed)
    await removeUnusedNames(sweeps).catch(events.sweepFailed)
    await rewrite().catch(events.rewriteFailed)
    await rewriteUnusedNames(sweeps, before()).catch(events.rewriteFailed)
    await beginWalFile(sweeps).catch(events.rewriteFailed)
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
