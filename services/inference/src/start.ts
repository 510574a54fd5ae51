import { randomUUID } from 'node:crypto'
import { brandOf } from '@ratchet/contracts/brand'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { NamedKeys } from '@ratchet/service-kit/identity'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import { createEvents, type InferenceEvents } from './events.ts'
import { type ActiveExchanges, createActiveExchanges } from './exchange/active-exchanges.ts'
import { callProvider } from './exchange/call-provider.ts'
import type { ExchangeDeps } from './exchange/exchange-deps.ts'
import { createRetryBudget } from './exchange/retry-budget.ts'
import { loadCatalog, simulatedCatalogDir } from './load-catalog.ts'
import { createProviders } from './providers/create-providers.ts'
import type { ChatProvider, ProviderFailure } from './providers/provider.ts'
import { startLedger } from './start-ledger.ts'
import { watchBooks } from './watch-books.ts'

export const InferenceConfig = z.object({
  ...httpServiceConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  IDENTITY_KEYS: NamedKeys,
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
  const ledger = await startLedger({
    pool,
    auditPool: connectAuditPool(config, lifecycle),
    redis: connectRedis(config, logger, lifecycle),
    spillDir: config.SPILL_DIR,
    ownerId: randomUUID(),
    logger,
    onEvent: events.ledger,
    onStop: lifecycle.onStop,
  })
  watchBooks({ ledger, events, everyMs: config.LEDGER_AUDIT_SECONDS * 1_000, onStop: lifecycle.onStop })
  const providers = await startProviders(config, env, lifecycle)
  const health = { drain, checks: { postgres: () => pool.query('SELECT 1') }, now }
  const app = createApp({
    ...providers,
    callProvider: retriedCalls(providers.providers, events),
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
  return serveService(config, { app, health, metrics, lifecycle })
}

function connectLedgerPool(config: InferenceConfig, logger: Logger, { onStop }: Lifecycle): Pool {
  const pool = connectPool({
    databaseUrl: config.DATABASE_URL,
    role: 'ratchet_inference',
    max: 10,
    statementTimeoutMs: 2_000,
    queryTimeoutMs: 2_000,
    connectTimeoutMs: 1_000,
    onIdleError: (error) => logger.warn({ err: error }, 'database connection lost'),
  })
  onStop(() => pool.end())
  return pool
}

/** The audit reads whole tables: its statements may take long, and never wait beside those of a request. */
function connectAuditPool({ DATABASE_URL }: InferenceConfig, { onStop }: Lifecycle): Pool {
  const timeouts = { statementTimeoutMs: 60_000, queryTimeoutMs: 61_000, connectTimeoutMs: 5_000 }
  const pool = connectPool({ databaseUrl: DATABASE_URL, role: 'ratchet_inference', max: 1, ...timeouts })
  onStop(() => pool.end())
  return pool
}

/** For the spill alone. It must never make anything wait: no queue while Redis is away, short time-outs. */
function connectRedis(config: InferenceConfig, logger: Logger, { onStop }: Lifecycle): Redis {
  const redis = new Redis(config.REDIS_URL, {
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

async function startProviders(config: InferenceConfig, env: StartOptions['env'], { onStop }: Lifecycle) {
  const simulated = config.SIMULATED_PROVIDER_URL
  const catalog = await loadCatalog(
    ...(simulated === undefined ? [] : [simulatedCatalogDir]),
    ...(config.CATALOG_DIR === undefined ? [] : [config.CATALOG_DIR]),
  )
  const providers = createProviders({
    providers: catalog.providers.values(),
    env: simulated === undefined ? env : { ...env, SIM_API_KEY: 'simulated', SIM_BASE_URL: `${simulated}/v1` },
    clocks: {
      firstByteMs: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
      idleMs: config.UPSTREAM_IDLE_TIMEOUT_MS,
      totalMs: config.UPSTREAM_TOTAL_TIMEOUT_MS,
    },
    connectTimeoutMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
    connections: config.UPSTREAM_CONNECTIONS,
    onStop,
  })
  return { catalog, providers, configuredProviders: new Set(providers.keys()) }
}

/** One retry budget for each provider: the outage of one does not use up another's. */
function retriedCalls(
  providers: ReadonlyMap<string, ChatProvider>,
  events: InferenceEvents,
): ExchangeDeps['callProvider'] {
  const calls = new Map([...providers].map(([id, provider]) => [id, { provider, budget: createRetryBudget() }]))
  return (request, listener) => {
    const options = calls.get(request.model.provider)
    if (options === undefined) throw new Error(`no provider ${request.model.provider}`)
    const onRetry = (failure: ProviderFailure) => events.retry(request, failure)
    return callProvider({ ...options, random: Math.random, onRetry }, request, listener)
  }
}

/** Notes what running streams cost so far, and ends them when the drain runs out. */
function tendStreams(active: ActiveExchanges, deadline: AbortSignal, { onStop }: Lifecycle): void {
  const timer = setInterval(() => active.checkpoint(), checkpointEveryMs)
  onStop(() => clearInterval(timer))
  deadline.addEventListener('abort', () => active.expire())
}
