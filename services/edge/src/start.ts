import { randomUUID } from 'node:crypto'
import { brandOf } from '@ratchet/contracts/brand'
import type { ServiceName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { sessionEndpoints } from '@ratchet/contracts/session-endpoints'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import { FramesAddress } from '@ratchet/service-kit/frames/frames-address'
import { deriveAudienceKey, NamedKeys } from '@ratchet/service-kit/identity/identity'
import { DatabaseSilenceMs, httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { type AppParts, type ServedApp, startApi } from '@ratchet/work-kit/processes/start-api'
import type { Logger } from 'pino'
import { z } from 'zod'
import { pgAbuseGuard } from './abuse-guard/pg-abuse-guard.ts'
import { clientAddressBehind, TrustedProxies } from './admission/client-address.ts'
import { CorsOrigins, createCors } from './admission/cors.ts'
import { createApp, createSessionApp, createUpgrades, type EdgeDeps } from './app.ts'
import { createEdgeEvents, type EdgeEvents } from './events.ts'
import { closeForwarders, createForwarders } from './forward/create-forwarders.ts'
import { createDashboardForwarder, type DashboardForwarderOptions } from './forward/dashboard-forwarder.ts'
import type { Forwarder } from './forward/forwarder.ts'
import { createKeyLease, type KeyLease } from './keys/key-lease.ts'
import type { KeyStore } from './keys/key-store.ts'
import { createKeyUseLog, type KeyUseLog } from './keys/key-use.ts'
import { createKeyVerifier } from './keys/key-verifier.ts'
import { pgKeyStore } from './keys/pg-key-store.ts'
import { pgLeaseStore } from './keys/pg-lease-store.ts'
import { type LeaseRenewals, startLeaseRenewals } from './keys/renew-lease.ts'
import { showLease } from './keys/show-lease.ts'
import { createPgRefusals } from './refusals/pg-refusals.ts'
import { createRefusalCounts, type RefusalCounts } from './refusals/refusal-counts.ts'
import { defaultSocketLimits, type SocketLimits } from './sockets/open-sockets.ts'
import { createVoiceHttp, eitherOf, type VoiceListenerContext, voiceConfig } from './start-voice.ts'

export const EdgeConfig = z.object({
  ...httpServiceConfig,
  INFERENCE_URL: z.url({ protocol: /^https?$/ }),
  /** Where inference takes requests in frames, `unix:/path` or `tcp://host:port`; absent: over HTTP only. */
  INFERENCE_FRAMES_URL: FramesAddress.optional(),
  LOGGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  EVAL_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  TRAINING_URL: z.url({ protocol: /^https?$/ }),
  /** Where the dashboard listens; absent: there is none. */
  DASHBOARD_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Port of the session listener, which only the dashboard may reach; absent: there is none. */
  SESSION_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** Proxies in front of the edge, whose `X-Forwarded-For` says who the client is. */
  TRUSTED_PROXIES: TrustedProxies,
  /** Pages that may call the API from a browser. */
  CORS_ORIGINS: CorsOrigins,
  /** Master keys of the signed identity, `id:base64`; the first signs. Only the edge has them. */
  IDENTITY_MASTER_KEYS: NamedKeys,
  /** Maximum guarded calls of a workspace per minute. */
  ABUSE_GUARD_LIMIT: z.coerce.number().int().min(1).default(20),
  /** Maximum unknown keys of one address in ten seconds; more get 429. */
  UNKNOWN_KEYS_PER_ADDRESS: z.coerce.number().int().min(1).default(300),
  /** Milliseconds for which a client may read less than 64 KB of what waits for it, before it is disconnected. */
  STALLED_CLIENT_MS: z.coerce.number().int().min(1).default(60_000),
  /** Maximum open WebSockets of a workspace at this edge. */
  SOCKETS_PER_WORKSPACE: z.coerce.number().int().min(1).default(defaultSocketLimits.perWorkspace),
  DATABASE_SILENCE_MS: DatabaseSilenceMs,
  ...voiceConfig,
})
export type EdgeConfig = z.output<typeof EdgeConfig>

/** Timeouts of connections. Callers are answered earlier, after `DATABASE_SILENCE_MS`. */
const database = {
  role: 'ratchet_edge',
  connectTimeoutMs: 1_000,
  queryTimeoutMs: 2_000,
  statementTimeoutMs: 2_000,
} as const
/** A renewal that takes longer than a second would leave too little time for another one. */
const leaseDatabase = { ...database, queryTimeoutMs: 1_000, statementTimeoutMs: 1_000, max: 1 } as const
const renewLeaseMs = 1_000
/** Seconds without a request after which an edge holds no lease. */
const restAfterRenewals = 10
const maxRememberedKeys = 10_000
const flushKeyUseMs = 10_000
const flushRefusalsMs = 1_000
const guardWindowSeconds = 60
const pruneGuardMs = 600_000

/** Starts the edge and resolves with the port it is bound to. */
export function startEdge(config: EdgeConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const definition = { name: 'edge', database: { ...database, max: 3 }, isPublic: true }
  return startApi(definition, { config, logger, lifecycle }, (parts, pool) =>
    createEdgeApp(config, lifecycle, parts, pool),
  )
}

async function createEdgeApp(
  config: EdgeConfig,
  lifecycle: Lifecycle,
  parts: AppParts,
  keyPool: Pool,
): Promise<ServedApp> {
  const { logger, metrics, health, now } = parts
  const events = createEdgeEvents(metrics.registry, logger)
  const brand = brandOf(config.BRAND_WORD)
  const keyStore = pgKeyStore(keyPool)
  const guardStore = connectGuardStore(config, logger, lifecycle)
  const prune = () => guardStore.prune(guardWindowSeconds)
  lifecycle.onStop(repeatEvery({ everyMs: pruneGuardMs, work: prune, onError: events.guardNotPruned }))
  const lease = createKeyLease({
    maxKeys: maxRememberedKeys,
    monotonicMs: () => performance.now(),
    wallMs: () => now().getTime(),
  })
  const renewals = holdLease(config, lifecycle, { logger, events, lease })
  showLease(metrics.registry, lease, renewals)
  const keys = createKeyVerifier({
    store: keyStore,
    lease: {
      ...lease,
      beforeRead() {
        renewals.wake()
        return lease.beforeRead()
      },
    },
    keyPrefix: brand.keyPrefix,
    unknownKeysPerAddress: config.UNKNOWN_KEYS_PER_ADDRESS,
    silenceMs: config.DATABASE_SILENCE_MS,
    events,
    now,
  })
  const proxying = { stalledClientMs: config.STALLED_CLIENT_MS, events, drain: health.drain, now }
  const forwarders = createForwarders({
    ...proxying,
    masterKey: config.IDENTITY_MASTER_KEYS[0],
    urls: urlsOf(config),
    inferenceFrames: config.INFERENCE_FRAMES_URL,
    random: Math.random,
  })
  lifecycle.onStop(() => closeForwarders(forwarders))
  await Promise.all([keyStore.find([]), keyStore.find([]), keyStore.find([])]).catch((error) =>
    logger.warn({ err: error }, 'the database is not available yet'),
  )
  const clientAddressOf = clientAddressBehind(config.TRUSTED_PROXIES)
  const deps: EdgeDeps = {
    ...parts,
    clientAddressOf,
    events,
    brand,
    keys,
    keyUse: startKeyUse(keyStore, lifecycle, events),
    refusals: startRefusals(keyPool, lifecycle, events),
    endpoints,
    sessionEndpoints,
    sessionKeys: config.IDENTITY_MASTER_KEYS.map(({ id, secret }) => ({
      id,
      secret: deriveAudienceKey(secret, 'edge'),
    })),
    abuseGuard: {
      store: guardStore,
      limit: { calls: config.ABUSE_GUARD_LIMIT, windowSeconds: guardWindowSeconds },
    },
    forwarders,
    cors: createCors(config.CORS_ORIGINS, brand),
    sockets: socketLimits(config),
    dashboard: connectDashboard(config, lifecycle, { ...proxying, clientAddressOf }),
  }
  return servedBy(deps, config, { pool: keyPool, lifecycle })
}

function socketLimits({ SOCKETS_PER_WORKSPACE, STALLED_CLIENT_MS }: EdgeConfig): SocketLimits {
  return { ...defaultSocketLimits, perWorkspace: SOCKETS_PER_WORKSPACE, stalledClientMs: STALLED_CLIENT_MS }
}

/** With the listeners for people and for voice agents, where they have ports. */
function servedBy(deps: EdgeDeps, config: EdgeConfig, { pool, lifecycle }: VoiceParts): ServedApp {
  const app = createApp(deps)
  const { SESSION_PORT: sessionPort, IDENTITY_MASTER_KEYS: keys } = config
  const session = sessionPort === undefined ? [] : [{ listener: createSessionApp(deps), port: sessionPort }]
  const voice = createVoiceHttp(config, { ...deps, pool, masterKey: keys[0], lifecycle })
  const sockets = createUpgrades(deps, app)
  // The pages of the dashboard may connect to their own origin only.
  const upgrades = voice === null ? sockets : eitherOf(voice.upgrades, sockets)
  return { app, upgrades, alsoAt: voice === null ? session : [...session, voice] }
}

type VoiceParts = Pick<VoiceListenerContext, 'pool' | 'lifecycle'>

function urlsOf(config: EdgeConfig): Readonly<Record<ServiceName, string>> {
  return {
    inference: config.INFERENCE_URL,
    logging: config.LOGGING_URL,
    judging: config.JUDGING_URL,
    eval: config.EVAL_URL,
    alias: config.ALIAS_URL,
    training: config.TRAINING_URL,
    voice: config.VOICE_URL,
  }
}

/** @returns null where no dashboard runs */
function connectDashboard(
  { DASHBOARD_URL: url }: EdgeConfig,
  { onStop }: Lifecycle,
  options: Omit<DashboardForwarderOptions, 'origin'>,
): Forwarder | null {
  if (url === undefined) return null
  const forwarder = createDashboardForwarder({ ...options, origin: new URL(url).origin })
  onStop(() => forwarder.close())
  return forwarder
}

/** Writes when keys were last used. */
function startKeyUse(store: KeyStore, { onStop }: Lifecycle, events: EdgeEvents): KeyUseLog {
  const keyUse = createKeyUseLog(store, events)
  onStop(() => keyUse.flush())
  onStop(repeatEvery({ everyMs: flushKeyUseMs, work: () => keyUse.flush(), onError: events.keyUseLost }))
  return keyUse
}

/** Counts what this edge refuses, for the pages of people. */
function startRefusals(pool: Pool, { onStop }: Lifecycle, { refusalsNotStored: onError }: EdgeEvents): RefusalCounts {
  const store = createPgRefusals(pool)
  const refusals = createRefusalCounts(store, onError)
  onStop(() => refusals.flush())
  onStop(repeatEvery({ everyMs: flushRefusalsMs, work: refusals.flush, onError }))
  onStop(repeatEvery({ everyMs: pruneGuardMs, work: store.prune, onError }))
  return refusals
}

/** A pool of its own, so that calls that wait for each other at the abuse guard do not delay reads of keys. */
function connectGuardStore({ DATABASE_URL: databaseUrl }: EdgeConfig, logger: Logger, lifecycle: Lifecycle) {
  return pgAbuseGuard(connectProcessPool({ ...database, databaseUrl, max: 4 }, { ...lifecycle, logger }))
}

interface LeaseParts extends Pick<AppParts, 'logger'> {
  readonly lease: KeyLease
  readonly events: EdgeEvents
}

/** Renews the lease over a connection of its own, until the server is closed. */
function holdLease({ DATABASE_URL: databaseUrl }: EdgeConfig, lifecycle: Lifecycle, parts: LeaseParts): LeaseRenewals {
  const pool = connectProcessPool({ ...leaseDatabase, databaseUrl }, { ...lifecycle, logger: parts.logger })
  const store = pgLeaseStore(pool, () => renewals.hurry())
  const renewals = startLeaseRenewals({
    ...parts,
    store,
    newLeaseId: randomUUID,
    everyMs: renewLeaseMs,
    restAfter: restAfterRenewals,
  })
  lifecycle.onStop(async () => {
    await renewals.stop()
    store.close()
  })
  return renewals
}
