import { randomBytes, randomUUID } from 'node:crypto'
import { brandOf } from '@ratchet/contracts/brand'
import type { Pool } from '@ratchet/db/connect-pool'
import { serveFrames } from '@ratchet/service-kit/frames/serve-frames'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { readCallee } from '@ratchet/service-kit/identity/caller-keys'
import { createRedis } from '@ratchet/service-kit/process/create-redis'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import { type AppParts, type ServedApp, startApi } from '@ratchet/work-kit/processes/start-api'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createApp, type InferenceDeps } from './app.ts'
import type { Catalog } from './catalog/catalog.ts'
import { type Environment, InferenceConfig } from './config.ts'
import { createEvents, type InferenceEvents } from './events.ts'
import { allWatches, type WatchCalls } from './providers/calls/attempt-watch.ts'
import { createProviderMetrics } from './providers/calls/provider-metrics.ts'
import { createProviderSpans } from './providers/calls/provider-spans.ts'
import { showEjections } from './providers/calls/show-ejections.ts'
import { createRateLimiter } from './rate-limits/rate-limiter.ts'
import { type AbandonedCalls, createAbandonedCalls } from './request/abandoned-calls.ts'
import { type ActiveExchanges, createActiveExchanges } from './request/active-exchanges.ts'
import { createFramedHandler } from './request/handle-framed.ts'
import type { CountTokensOf } from './request/price-answer.ts'
import { createRedisResponseCache } from './response-cache/redis-response-cache.ts'
import { startAliasTraffic } from './start-alias-traffic.ts'
import { startBilling } from './start-billing.ts'
import { startCapture } from './start-capture.ts'
import { startDedicated } from './start-dedicated.ts'
import { startDirectory } from './start-directory.ts'
import { startPersonErasures } from './start-erasures.ts'
import { startFamilies } from './start-families.ts'
import { ledgerDatabase, startLedgers } from './start-ledgers.ts'
import { startOutcomes } from './start-outcomes.ts'
import { startRecords } from './start-records.ts'
import { createResponseRecorder } from './stored-responses/response-recorder.ts'
import { modelEncoding } from './tokenizer/model-encoding.ts'
import { createTokenCounter } from './tokenizer/token-counter.ts'

export { InferenceConfig }

const checkpointEveryMs = 5_000
/** Milliseconds for which a process that stops waits for the charges of calls that their clients left. */
const chargeAbandonedMs = 5_000

/** The composition root: the only place where production dependencies are built. Resolves with the port. */
export function startInference(
  config: InferenceConfig,
  logger: Logger,
  lifecycle: Lifecycle,
  env: Environment,
): Promise<number> {
  const context = { config, logger, lifecycle, env }
  // the process's pool is that of the main ledger
  return startApi({ name: 'inference', database: ledgerDatabase }, context, (parts, pool) =>
    createInferenceApp(context, parts, pool),
  )
}

interface InferenceContext {
  readonly config: InferenceConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly env: Environment
}

async function createInferenceApp(context: InferenceContext, parts: AppParts, pool: Pool): Promise<ServedApp> {
  const { config, logger, lifecycle } = context
  const { metrics, now, health } = parts
  const active = createActiveExchanges()
  const abandoned = createAbandonedCalls()
  const events = createEvents(metrics, logger, { active, abandoned })
  const shared = { ...context, events, now }
  const redis = connectRedis(config.REDIS_URL, logger, lifecycle)
  const { ledger, wallets, accounts, jobHolds, callHolds } = await startLedgers({
    ...shared,
    mainPool: pool,
    redis,
    ownerId: randomUUID(),
  })
  const records = startRecords(shared)
  startPersonErasures({ ...shared, pool })
  const { replicas, ...models } = await startDirectory({ ...shared, pool })
  showEjections(metrics.registry, models.directory)
  const deps: InferenceDeps = {
    ...parts,
    ...models,
    ...records,
    ...startBilling({ ...shared, accounts, catalog: models.catalog }),
    ...startShared(config, (url) => connectRedis(url, logger, lifecycle), { events, now }),
    capture: startCapture(shared),
    families: startFamilies(shared),
    dedicated: startDedicated({ ...shared, reporter: randomUUID() }, replicas),
    arms: startAliasTraffic({ ...shared, reporter: randomUUID() }),
    outcomes: startOutcomes({ ...shared, reporter: randomUUID() }),
    bodies: createBodyBudget(config.BODIES_MAX_BYTES),
    answers: createBodyBudget(config.BODIES_MAX_BYTES),
    responseRecorder: createResponseRecorder({ store: records.responses, now }),
    onNotStored: events.responseNotStored,
    countTokensOf: startCounting(events, lifecycle),
    random: Math.random,
    onRetry: events.retry,
    onFallback: events.fallback,
    watchCalls: watchProviders(metrics, models.catalog),
    onCharged: events.charged,
    onUnrecorded: events.unrecorded,
    ledger,
    wallets,
    jobHolds,
    callHolds,
    active,
    abandoned,
    slowReaderMs: config.SLOW_READER_TIMEOUT_MS,
    ...readCallee(config),
    brand: brandOf(config.BRAND_WORD),
  }
  // After the counter of tokens, so that it stops later: what clients left is counted and charged at the end of a drain.
  checkpointStreams({ active, abandoned }, health.drain.deadline, lifecycle)
  return { app: createApp(deps), beside: await listenForFrames(config, deps, events) }
}

/** Requests of edges come in frames as well where an address for them is set. */
function listenForFrames(
  { FRAMES_LISTEN: address, IDENTITY_KEYS: keys }: InferenceConfig,
  deps: InferenceDeps,
  events: InferenceEvents,
) {
  if (address === undefined) return undefined
  return serveFrames(address, { keys, handle: createFramedHandler(deps), onRefused: events.framesRefused })
}

/** Metrics and spans of the calls of providers. */
function watchProviders({ registry }: ProcessMetrics, { models }: Catalog): WatchCalls {
  const listed = new Set(models.map(({ id }) => id))
  const isListed = (id: string) => listed.has(id)
  const measured = createProviderMetrics({ registry, isListed, clockMs: () => performance.now() })
  return allWatches([measured, createProviderSpans({ isListed })])
}

/** State that all processes share through Redis. While Redis is unavailable each process has its own. */
function startShared(
  { REDIS_URL, CACHE_REDIS_URL = REDIS_URL, IDENTITY_KEYS: keys }: InferenceConfig,
  connect: (url: string) => Redis,
  { events, now }: { readonly events: InferenceEvents; readonly now: () => Date },
) {
  const seal = createByteSeal({ keys, purpose: 'cached answers', randomBytes, now })
  return {
    limiter: createRateLimiter({ redis: connect(REDIS_URL), now, onEvent: events.rateLimit }),
    cache: createRedisResponseCache({ redis: connect(CACHE_REDIS_URL), seal, now, onEvent: events.responseCache }),
  }
}

function startCounting(events: InferenceEvents, { onStop }: Lifecycle): CountTokensOf {
  const counter = createTokenCounter({ onStop, onCrash: events.countingFailed })
  return (workspaceId) => (model, texts) =>
    counter.count(texts, { encoding: modelEncoding(model).encoding, owner: workspaceId })
}

/** Requests wait for its commands, so they fail fast while Redis is unavailable. */
function connectRedis(url: string, logger: Logger, { onStop }: Lifecycle): Redis {
  const onError = (error: Error) => logger.debug({ err: error }, 'Redis is unavailable')
  return createRedis({ url, commandTimeoutMs: 100, retriesPerCommand: 1, maxReconnectMs: 2_000, onStop, onError })
}

interface RunningCalls {
  readonly active: ActiveExchanges
  readonly abandoned: AbandonedCalls
}

/**
 * Records the cost of running streams periodically, and ends them when the drain runs out. Calls that their clients left
 * end then too, and the process waits until they are charged.
 */
function checkpointStreams({ active, abandoned }: RunningCalls, deadline: AbortSignal, { onStop }: Lifecycle): void {
  const timer = setInterval(() => active.checkpoint(), checkpointEveryMs)
  onStop(() => clearInterval(timer))
  onStop(() => Promise.race([abandoned.charged(), atMost(chargeAbandonedMs)]))
  deadline.addEventListener('abort', () => {
    active.expire()
    abandoned.expire()
  })
}

function atMost(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref())
}
