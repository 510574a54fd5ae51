import { randomUUID } from 'node:crypto'
import { brandOf } from '@ratchet/contracts/brand'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { DatabaseSilenceMs, httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { HostList } from '@ratchet/service-kit/host-list-config'
import { NamedKeys } from '@ratchet/service-kit/identity'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { createProcessMetrics, type ProcessMetrics } from '@ratchet/telemetry/metrics'
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import type { Catalog } from './domain/catalog.ts'
import { modelEncoding } from './domain/model-encoding.ts'
import { createEvents, type InferenceEvents } from './events.ts'
import { type ActiveExchanges, createActiveExchanges } from './exchange/active-exchanges.ts'
import { createBodyBudget } from './exchange/body-budget.ts'
import type { CountTokens } from './exchange/price-answer.ts'
import { allWatches, type WatchCalls } from './provider-calls/attempt-watch.ts'
import { createProviderMetrics } from './provider-calls/provider-metrics.ts'
import { createProviderSpans } from './provider-calls/provider-spans.ts'
import { showEjections } from './provider-calls/show-ejections.ts'
import { createRateLimiter } from './rate-limit/rate-limiter.ts'
import { createRedisResponseCache } from './response-cache/redis-response-cache.ts'
import { startAliasTraffic } from './start-alias-traffic.ts'
import { startCapture } from './start-capture.ts'
import { startDirectory } from './start-directory.ts'
import { startLedger } from './start-ledger.ts'
import { startRecords } from './start-records.ts'
import { createResponseKeeper } from './surfaces/responses/response-keeper.ts'
import { createTokenCounter } from './tokenizer/token-counter.ts'
import { watchBooks } from './ledger/watch-books.ts'

export const InferenceConfig = z.object({
  ...httpServiceConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  IDENTITY_KEYS: NamedKeys,
  /** Open the keys that workspaces bring for providers; the first one seals. */
  ENCRYPTION_KEYS: NamedKeys,
  /** Whether workspaces may bring any public address with their keys, or only `BYOK_ALLOWED_HOSTS`. */
  BYOK_CUSTOM_HOSTS: z.stringbool().default(false),
  /** Hosts the operator vouches for, private ones too, separated by commas. */
  BYOK_ALLOWED_HOSTS: HostList,
  /** Most connections for one workspace's own key. */
  BYOK_CONNECTIONS: z.coerce.number().int().min(1).default(100),
  /** Folder for charges that could not be committed; survives a restart of the process. */
  SPILL_DIR: z.string().min(1),
  /** Catalog files that add to the shipped ones or replace entries of theirs. */
  CATALOG_DIR: z.string().min(1).optional(),
  /** Where the simulated provider listens; its models exist only while this is set. */
  SIMULATED_PROVIDER_URL: z.url().optional(),
  UPSTREAM_CONNECTIONS: z.coerce.number().int().min(1).default(1_000),
  UPSTREAM_CONNECT_TIMEOUT_MS: z.coerce.number().int().min(1).default(5_000),
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: z.coerce.number().int().min(1).default(600_000),
  UPSTREAM_IDLE_TIMEOUT_MS: z.coerce.number().int().min(1).default(60_000),
  UPSTREAM_TOTAL_TIMEOUT_MS: z.coerce.number().int().min(1).default(900_000),
  /** Seconds between two audits of the whole ledger by this process. */
  LEDGER_AUDIT_SECONDS: z.coerce.number().int().min(1).default(300),
  /** Bytes of request bodies that the process holds at a time; what comes on top is told to come again. */
  BODIES_MAX_BYTES: z.coerce.number().int().min(1).default(134_217_728),
  /** Where answers are cached, when that is not `REDIS_URL`: a Redis of its own may evict. */
  CACHE_REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  /** The logging service, and the keys that sign what is handed to it directly. */
  LOGGING_URL: z.url({ protocol: /^https?$/ }),
  LOGGING_KEYS: NamedKeys,
  /** The alias service, which is told what comes by on aliases, and the keys that sign for it. */
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_KEYS: NamedKeys,
  DATABASE_SILENCE_MS: DatabaseSilenceMs,
  SLOW_READER_TIMEOUT_MS: z.coerce.number().int().min(1).default(60_000),
})
export type InferenceConfig = z.infer<typeof InferenceConfig>

export interface StartOptions {
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  /** Where the keys of providers are looked up, by the names that the catalog gives. */
  readonly env: Readonly<Record<string, string | undefined>>
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
  watchBooks({ ledger, events, everyMs: config.LEDGER_AUDIT_SECONDS * 1_000, onStop: lifecycle.onStop })
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
    responseKeeper: createResponseKeeper({ store: records.responses, now }),
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
