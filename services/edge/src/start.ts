import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { brandOf } from '@ratchet/contracts/brand'
import { endpoints } from '@ratchet/contracts/endpoints'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import { FramesAddress } from '@ratchet/service-kit/frames/frames-address'
import { NamedKeys } from '@ratchet/service-kit/identity/identity'
import { DatabaseSilenceMs, httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { type AppParts, startApi } from '@ratchet/work-kit/processes/start-api'
import type { Logger } from 'pino'
import { z } from 'zod'
import { pgAbuseGuard } from './abuse-guard/pg-abuse-guard.ts'
import { createApp } from './app.ts'
import { createEdgeEvents, type EdgeEvents } from './events.ts'
import { closeForwarders, createForwarders } from './forward/create-forwarders.ts'
import { createKeyLease, type KeyLease } from './keys/key-lease.ts'
import { createKeyUseLog } from './keys/key-use.ts'
import { createKeyVerifier } from './keys/key-verifier.ts'
import { pgKeyStore } from './keys/pg-key-store.ts'
import { pgLeaseStore } from './keys/pg-lease-store.ts'
import { startLeaseRenewals } from './keys/renew-lease.ts'
import { showLease } from './keys/show-lease.ts'

export const EdgeConfig = z.object({
  ...httpServiceConfig,
  INFERENCE_URL: z.url({ protocol: /^https?$/ }),
  /** Where inference takes requests in frames, `unix:/path` or `tcp://host:port`; absent: over HTTP only. */
  INFERENCE_FRAMES_URL: FramesAddress.optional(),
  LOGGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  EVAL_URL: z.url({ protocol: /^https?$/ }),
  ALIAS_URL: z.url({ protocol: /^https?$/ }),
  /** Master keys of the signed identity, `id:base64`; the first signs. Only the edge has them. */
  IDENTITY_MASTER_KEYS: NamedKeys,
  /** Maximum guarded calls of a workspace per minute. */
  ABUSE_GUARD_LIMIT: z.coerce.number().int().min(1).default(20),
  /** Maximum unknown keys of one address in ten seconds; more get 429. */
  UNKNOWN_KEYS_PER_ADDRESS: z.coerce.number().int().min(1).default(300),
  /** Milliseconds for which a client may read no byte of an answer before it is disconnected. */
  STALLED_CLIENT_MS: z.coerce.number().int().min(1).default(60_000),
  DATABASE_SILENCE_MS: DatabaseSilenceMs,
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
const maxRememberedKeys = 10_000
const flushKeyUseMs = 10_000
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
): Promise<RequestListener> {
  const { logger, metrics, health, now } = parts
  const events = createEdgeEvents(metrics.registry, logger)
  const brand = brandOf(config.BRAND_WORD)
  const keyStore = pgKeyStore(keyPool)
  const guardStore = connectGuardStore(config, logger, lifecycle)
  const keyUse = createKeyUseLog(keyStore, events)
  lifecycle.onStop(() => keyUse.flush())
  lifecycle.onStop(repeatEvery({ everyMs: flushKeyUseMs, work: () => keyUse.flush(), onError: events.keyUseLost }))
  const prune = () => guardStore.prune(guardWindowSeconds)
  lifecycle.onStop(repeatEvery({ everyMs: pruneGuardMs, work: prune, onError: events.guardNotPruned }))
  const lease = createKeyLease({
    maxKeys: maxRememberedKeys,
    monotonicMs: () => performance.now(),
    wallMs: () => now().getTime(),
  })
  showLease(metrics.registry, lease)
  holdLease(config, lifecycle, { logger, events, lease })
  const keys = createKeyVerifier({
    store: keyStore,
    lease,
    keyPrefix: brand.keyPrefix,
    unknownKeysPerAddress: config.UNKNOWN_KEYS_PER_ADDRESS,
    silenceMs: config.DATABASE_SILENCE_MS,
    events,
    now,
  })
  const forwarders = createForwarders({
    masterKey: config.IDENTITY_MASTER_KEYS[0],
    urls: {
      inference: config.INFERENCE_URL,
      logging: config.LOGGING_URL,
      judging: config.JUDGING_URL,
      eval: config.EVAL_URL,
      alias: config.ALIAS_URL,
    },
    inferenceFrames: config.INFERENCE_FRAMES_URL,
    random: Math.random,
    stalledClientMs: config.STALLED_CLIENT_MS,
    events,
    drain: health.drain,
    now,
  })
  lifecycle.onStop(() => closeForwarders(forwarders))
  await Promise.all([keyStore.find([]), keyStore.find([]), keyStore.find([])]).catch((error) =>
    logger.warn({ err: error }, 'the database is not available yet'),
  )
  return createApp({
    ...parts,
    events,
    brand,
    keys,
    keyUse,
    endpoints,
    abuseGuard: {
      store: guardStore,
      limit: { calls: config.ABUSE_GUARD_LIMIT, windowSeconds: guardWindowSeconds },
    },
    forwarders,
  })
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
function holdLease({ DATABASE_URL: databaseUrl }: EdgeConfig, lifecycle: Lifecycle, parts: LeaseParts): void {
  const pool = connectProcessPool({ ...leaseDatabase, databaseUrl }, { ...lifecycle, logger: parts.logger })
  const store = pgLeaseStore(pool, () => renewals.hurry())
  const renewals = startLeaseRenewals({ ...parts, store, newLeaseId: randomUUID, everyMs: renewLeaseMs })
  lifecycle.onStop(async () => {
    await renewals.stop()
    store.close()
  })
}
