import { randomUUID } from 'node:crypto'
import { brandOf } from '@ratchet/contracts/brand'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { createDrain } from '@ratchet/service-kit/drain'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { createProcessMetrics, type ProcessMetrics } from '@ratchet/telemetry/metrics'
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import type { Catalog } from './catalog/catalog.ts'
import { type Environment, InferenceConfig } from './config.ts'
import { createEvents, type InferenceEvents } from './events.ts'
import { auditLedgerPeriodically } from './ledger/audit-ledger-periodically.ts'
import { allWatches, type WatchCalls } from './providers/calls/attempt-watch.ts'
import { createProviderMetrics } from './providers/calls/provider-metrics.ts'
import { createProviderSpans } from './providers/calls/provider-spans.ts'
import { showEjections } from './providers/calls/show-ejections.ts'
import { createRateLimiter } from './rate-limits/rate-limiter.ts'
import { type ActiveExchanges, createActiveExchanges } from './request/active-exchanges.ts'
import { createBodyBudget } from './request/body-budget.ts'
import type { CountTokens } from './request/price-answer.ts'
import { createRedisResponseCache } from './response-cache/redis-response-cache.ts'
import { startAliasTraffic } from './start-alias-traffic.ts'
import { startCapture } from './start-capture.ts'
import { startDirectory } from './start-directory.ts'
import { startLedger } from './start-ledger.ts'
import { startRecords } from './start-records.ts'
import { createResponseRecorder } from './stored-responses/response-recorder.ts'
import { modelEncoding } from './tokenizer/model-encoding.ts'
import { createTokenCounter } from './tokenizer/token-counter.ts'

export { InferenceConfig }

export interface StartOptions {
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly env: Environment
}

const checkpointEveryMs = 5_000

/** The composition root: the only place where production dependencies are built. Resolves with the port. */
export async function startInference(
  config: InferenceConfig,
  { logger, lifecycle, env }: StartOptions,
): Promise<number> {
  const now = () => new Date()
  const metrics = createProcessMetrics('inference')
  const drain = createDrain()
  const active = createActiveExchanges()
  const events = createEvents(metrics, logger, active)
  const pool = connectLedgerPool(config, logger, lifecycle)
  const shared = { config, logger, lifecycle, events, now, env }
  const ledger = await startLedger({
    pool,
    auditPool: connectAuditPool(config, lifecycle),
    redis: connectRedis(config.REDIS_URL, logger, lifecycle),
    spillDir: config.SPILL_DIR,
    ownerId: randomUUID(),
    logger,
    onEvent: events.ledger,
    onStop: lifecycle.onStop,
    timing: { holdSilenceMs: config.DATABASE_SILENCE_MS },
  })
  events.showWaiting(ledger.waiting)
  auditLedgerPeriodically({ ledger, events, everyMs: config.LEDGER_AUDIT_SECONDS * 1_000, onStop: lifecycle.onStop })
  const records = startRecords(shared)
  const startChecks = { schema: createSchemaCheck(pool) }
  const health = { drain, checks: { postgres: () => pool.query('SELECT 1') }, startChecks, now }
  const models = await startDirectory(shared)
  showEjections(metrics.registry, models.directory)
  const app = createApp({
    ...models,
    ...records,
    ...startShared(config, (url) => connectRedis(url, logger, lifecycle), { events, now }),
    capture: startCapture(shared),
    arms: startAliasTraffic({ ...shared, reporter: randomUUID() }),
    bodies: createBodyBudget(config.BODIES_MAX_BYTES),
    responseRecorder: createResponseRecorder({ store: records.responses, now }),
    onNotStored: events.responseNotStored,
    countTokens: startCounting(events, lifecycle),
    random: Math.random,
    onRetry: events.retry,
    onFallback: events.fallback,
    watchCalls: watchProviders(metrics, models.catalog),
    onCharged: events.charged,
    ledger,
    active,
    slowReaderMs: config.SLOW_READER_TIMEOUT_MS,
    identityKeys: config.IDENTITY_KEYS,
    brand: brandOf(config.BRAND_WORD),
    health,
    metrics,
    serveMetrics: config.ADMIN_PORT === undefined,
    logger,
    now,
  })
  tendStreams(active, drain.deadline, lifecycle)
  return serveService(config, { app, health, metrics, lifecycle, logger })
}

/** What is measured and traced of the calls of providers. */
function watchProviders({ registry }: ProcessMetrics, { models }: Catalog): WatchCalls {
  const listed = new Set(models.map(({ id }) => id))
  const isListed = (id: string) => listed.has(id)
  const measured = createProviderMetrics({ registry, isListed, clockMs: () => performance.now() })
  return allWatches([measured, createProviderSpans({ isListed })])
}

/** What all processes share through Redis, and each has for itself while Redis is away. */
function startShared(
  { REDIS_URL, CACHE_REDIS_URL = REDIS_URL }: InferenceConfig,
  connect: (url: string) => Redis,
  { events, now }: { readonly events: InferenceEvents; readonly now: () => Date },
) {
  return {
    limiter: createRateLimiter({ redis: connect(REDIS_URL), now, onEvent: events.rateLimit }),
    cache: createRedisResponseCache({ redis: connect(CACHE_REDIS_URL), now, onEvent: events.responseCache }),
  }
}

function startCounting(events: InferenceEvents, { onStop }: Lifecycle): CountTokens {
  const counter = createTokenCounter({ onStop, onCrash: events.countingFailed })
  return (model, texts) => counter.count(texts, modelEncoding(model).encoding)
}

function connectLedgerPool(config: InferenceConfig, logger: Logger, { onStop }: Lifecycle): Pool {
  const pool = connectProcessPool(
    {
      databaseUrl: config.DATABASE_URL,
      role: 'ratchet_inference',
      max: 10,
      statementTimeoutMs: 2_000,
      queryTimeoutMs: 2_000,
      connectTimeoutMs: 1_000,
    },
    { logger, onStop },
  )
  return pool
}

/** The audit reads whole tables: its statements may take long, and never wait beside those of a request. */
function connectAuditPool({ DATABASE_URL }: InferenceConfig, { onStop }: Lifecycle): Pool {
  const timeouts = { statementTimeoutMs: 60_000, queryTimeoutMs: 61_000, connectTimeoutMs: 5_000 }
  const pool = connectPool({ databaseUrl: DATABASE_URL, role: 'ratchet_inference', max: 1, ...timeouts })
  onStop(() => pool.end())
  return pool
}

/** It must never make anything wait: no queue while Redis is away, short time-outs. */
function connectRedis(url: string, logger: Logger, { onStop }: Lifecycle): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 100,
    connectTimeout: 1_000,
    retryStrategy: (times) => Math.min(times * 100, 2_000),
  })
  redis.on('error', (error) => logger.debug({ err: error }, 'redis is away'))
  onStop(() => redis.disconnect())
  return redis
}

/** Notes what running streams cost so far, and ends them when the drain runs out. */
function tendStreams(active: ActiveExchanges, deadline: AbortSignal, { onStop }: Lifecycle): void {
  const timer = setInterval(() => active.checkpoint(), checkpointEveryMs)
  onStop(() => clearInterval(timer))
  deadline.addEventListener('abort', () => active.expire())
}
