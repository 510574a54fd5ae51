import { brandOf } from '@ratchet/contracts/brand'
import type { ServiceName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { permissions } from '@ratchet/contracts/permissions'
import { connectPool } from '@ratchet/db/connect-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { DatabaseSilenceMs, httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import { createEdgeEvents } from './events.ts'
import { createDispatchForwarder } from './forward/dispatch-forwarder.ts'
import { headBuilder } from './forward/forwarded-head.ts'
import type { Forwarder, ForwarderOptions } from './forward/forwarder.ts'
import { createManagementProxy } from './forward/management-proxy.ts'
import { createKeyUseLog } from './keys/key-use.ts'
import { createKeyVerifier } from './keys/key-verifier.ts'
import { type Route, routingTable } from './routing-table.ts'
import { pgAbuseGuard } from './store/pg-abuse-guard.ts'
import { pgKeyStore } from './store/pg-key-store.ts'

export const EdgeConfig = z.object({
  ...httpServiceConfig,
  INFERENCE_URL: z.url({ protocol: /^https?$/ }),
  LOGGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  EVAL_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  /** Master keys of the signed identity, `id:base64`; the first signs. Only the edge has them. */
  IDENTITY_MASTER_KEYS: NamedKeys,
  /** Guarded calls that a workspace may make in one window. */
  ABUSE_GUARD_LIMIT: z.coerce.number().int().min(1).default(20),
  ABUSE_GUARD_WINDOW_SECONDS: z.coerce.number().int().min(1).default(60),
  /** Unknown keys that one address may try in ten seconds before it gets 429. */
  UNKNOWN_KEYS_PER_ADDRESS: z.coerce.number().int().min(1).default(300),
  /** Milliseconds that a client may take no byte of an answer that waits for it. */
  STALLED_CLIENT_MS: z.coerce.number().int().min(1).default(60_000),
  DATABASE_SILENCE_MS: DatabaseSilenceMs,
})
export type EdgeConfig = z.output<typeof EdgeConfig>

/** When a connection is given up and replaced; callers were answered before. */
const databaseTimeouts = { connectTimeoutMs: 1_000, queryTimeoutMs: 2_000, statementTimeoutMs: 2_000 }
const flushKeyUseMs = 10_000
const pruneGuardMs = 600_000

/** Starts the edge and resolves with the port it is bound to. */
export async function startEdge(config: EdgeConfig, logger: Logger, lifecycle: Lifecycle): Promise<{ port: number }> {
  const now = () => new Date()
  const metrics = createProcessMetrics('edge')
  const events = createEdgeEvents(metrics.registry, logger)
  const drain = createDrain()
  const brand = brandOf(config.BRAND_WORD)
  const { keyStore, guardStore, checkSchema } = connectStores(config, logger, lifecycle)
  const keyUse = createKeyUseLog(keyStore, events)
  lifecycle.onStop(() => keyUse.flush())
  lifecycle.onStop(repeatEvery({ everyMs: flushKeyUseMs, work: () => keyUse.flush(), onError: events.keyUseLost }))
  const prune = () => guardStore.prune(config.ABUSE_GUARD_WINDOW_SECONDS)
  lifecycle.onStop(repeatEvery({ everyMs: pruneGuardMs, work: prune, onError: events.guardNotPruned }))
  const keys = createKeyVerifier({
    store: keyStore,
    keyPrefix: brand.keyPrefix,
    unknownKeysPerAddress: config.UNKNOWN_KEYS_PER_ADDRESS,
    silenceMs: config.DATABASE_SILENCE_MS,
    events,
    now,
  })
  const health = { drain, checks: { postgres: () => keyStore.ping() }, startChecks: { schema: checkSchema }, now }
  const app = createApp({
    logger,
    metrics,
    events,
    brand,
    keys,
    keyUse,
    endpoints,
    permissions,
    routes: routingTable,
    now,
    health,
    serveMetrics: config.ADMIN_PORT === undefined,
    abuseGuard: {
      store: guardStore,
      limit: { calls: config.ABUSE_GUARD_LIMIT, windowSeconds: config.ABUSE_GUARD_WINDOW_SECONDS },
    },
    forwarderOf: connectServices(config, { events, drain, now }, lifecycle),
    newId: () => uuidV7(Date.now()),
  })
  await Promise.all([keyStore.find([]), keyStore.find([]), keyStore.find([])]).catch((error) =>
    logger.warn({ err: error }, 'the database does not answer yet'),
  )
  return { port: await serveService(config, { app, health, metrics, lifecycle, logger, isPublic: true }) }
}

/** Two pools, so that calls waiting for each other at the abuse guard cannot keep keys from being looked up. */
function connectStores({ DATABASE_URL: databaseUrl }: EdgeConfig, logger: Logger, { onStop }: Lifecycle) {
  const onIdleError = (error: Error) => logger.warn({ err: error }, 'an idle database connection broke')
  const options = { databaseUrl, role: 'ratchet_edge', onIdleError, ...databaseTimeouts } as const
  const keyPool = connectPool({ ...options, max: 3 })
  const guardPool = connectPool({ ...options, max: 4 })
  onStop(async () => {
    await Promise.all([keyPool.end(), guardPool.end()])
  })
  return {
    keyStore: pgKeyStore(keyPool),
    guardStore: pgAbuseGuard(guardPool),
    checkSchema: createSchemaCheck(guardPool),
  }
}

/** One forwarder for each kind of way to each service, shared by the routes that take it. */
function connectServices(
  config: EdgeConfig,
  deps: Pick<ForwarderOptions, 'events' | 'drain' | 'now'>,
  { onStop }: Lifecycle,
): (route: Route) => Forwarder {
  const origins: Readonly<Record<ServiceName, string>> = {
    inference: new URL(config.INFERENCE_URL).origin,
    logging: new URL(config.LOGGING_URL).origin,
    judging: new URL(config.JUDGING_URL).origin,
    eval: new URL(config.EVAL_URL).origin,
    alias: new URL(config.ALIAS_URL).origin,
  }
  const buildHead = headBuilder(config.IDENTITY_MASTER_KEYS[0], Object.keys(origins) as ServiceName[])
  const stalledClientMs = config.STALLED_CLIENT_MS
  const create = { inference: createDispatchForwarder, management: createManagementProxy }
  const forwarders = new Map<string, Forwarder>()
  onStop(() => Promise.all([...forwarders.values()].map((forwarder) => forwarder.close())))
  return ({ service, kind }) => {
    const way = `${kind} ${service}`
    const known = forwarders.get(way)
    if (known !== undefined) return known
    const forwarder = create[kind]({ ...deps, service, origin: origins[service], buildHead, stalledClientMs })
    forwarders.set(way, forwarder)
    return forwarder
  }
}
