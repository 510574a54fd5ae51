import { Counter, Gauge, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { upstreams } from './forward/upstream.ts'

/** Metrics and log lines of the edge. Events that an operator must examine are logged, all are counted. */
export interface EdgeEvents {
  headersSpoofed(count: number): void
  keyRefused(reason: 'malformed' | 'unknown' | 'recently-unknown'): void
  /** An address got 429 for too many unknown keys. */
  addressLimited(): void
  /** A key was answered from memory, under the lease. */
  keyRemembered(): void
  /** A key was read from the database. */
  keyLookedUp(): void
  keyLookupFailed(): void
  /** The lease on keys could not be renewed. Reported once until `keyLeaseHeld`. */
  keyLeaseLost(cause: unknown): void
  keyLeaseHeld(): void
  keyUseLost(cause: unknown): void
  refusalsNotStored(cause: unknown): void
  guardRefused(): void
  guardNotPruned(cause: unknown): void
  upstreamFailed(service: string, reason: 'unreachable' | 'no-answer' | 'cut'): void
  upstreamRetried(service: string): void
  /** A service refused a signed identity: its keys differ, or another process signed it. */
  identityRefused(service: string, requestId: string): void
  /** A request at the session listener that the dashboard did not sign. */
  sessionRefused(requestId: string): void
  /** Requests to the service go in frames from now on. */
  framesConnected(service: string): void
  /** Requests to the service go over HTTP until there is a connection again. Cause null: the service stops. */
  framesLost(service: string, cause: Error | null): void
  clientLeft(service: string): void
  clientStalled(service: string): void
  /** How many WebSockets are open now. */
  socketsOpen(count: number): void
}

export function createEdgeEvents(registry: Registry, logger: Logger): EdgeEvents {
  const { spoofed, refused, limited, remembered, lookups, lookupFailures, useFailures, guarded, ...upstreams } =
    createCounters(registry)
  const { failures, retries, identities, sessions, disconnects } = upstreams
  const sockets = new Gauge({
    name: 'ratchet_edge_websockets_open',
    help: 'Open WebSockets of clients.',
    registers: [registry],
  })
  return {
    headersSpoofed: (count) => spoofed.inc(count),
    keyRefused: (reason) => refused.inc({ reason }),
    addressLimited: () => limited.inc(),
    keyRemembered: () => remembered.inc(),
    keyLookedUp: () => lookups.inc(),
    keyLookupFailed: () => lookupFailures.inc(),
    keyLeaseLost: (cause) =>
      logger.warn(
        { event: 'key_lease_lost', err: cause },
        'the lease on keys was not renewed; until it is, every request reads its key',
      ),
    keyLeaseHeld: () => logger.info({ event: 'key_lease_held' }, 'the lease on keys is renewed again'),
    keyUseLost(cause) {
      useFailures.inc()
      logger.warn(
        { event: 'key_use_lost', err: cause },
        'last-used times of keys were not written; they are written at the next try',
      )
    },
    refusalsNotStored: (cause) =>
      logger.warn(
        { event: 'refusals_not_stored', err: cause },
        'counts of refusals were not written; they are written at the next try',
      ),
    guardRefused: () => guarded.inc(),
    guardNotPruned: (cause) =>
      logger.warn(
        { event: 'guard_not_pruned', err: cause },
        'old guarded calls were not deleted; the next run deletes them',
      ),
    upstreamFailed: (upstream, reason) => failures.inc({ upstream, reason }),
    upstreamRetried: (upstream) => retries.inc({ upstream }),
    identityRefused(service, requestId) {
      identities.inc({ upstream: service })
      logger.error(
        { event: 'identity_refused', service, requestId },
        'a service refused the identity that the edge signed',
      )
    },
    sessionRefused(requestId) {
      sessions.inc()
      logger.error(
        { event: 'session_refused', requestId },
        'a request at the session listener was not signed by the dashboard',
      )
    },
    ...frameEvents(registry, logger),
    clientLeft: (upstream) => disconnects.inc({ upstream, reason: 'disconnected' }),
    clientStalled: (upstream) => disconnects.inc({ upstream, reason: 'stalled' }),
    socketsOpen: (count) => sockets.set(count),
  }
}

function frameEvents(registry: Registry, logger: Logger): Pick<EdgeEvents, 'framesConnected' | 'framesLost'> {
  const registers = [registry]
  const labelNames = ['upstream'] as const
  const connected = new Gauge({
    name: 'ratchet_edge_frames_connected',
    help: '1 while requests to the service go in frames; 0, or no value, while they go over HTTP.',
    labelNames,
    registers,
  })
  const lost = new Counter({
    name: 'ratchet_edge_frames_lost_total',
    help: 'How often the connection of frames ended, or could not be made at the start.',
    labelNames,
    registers,
  })
  startAtZero(lost, 'upstream', ['inference'])
  return {
    framesConnected(upstream) {
      connected.set({ upstream }, 1)
      logger.info({ event: 'frames_connected', service: upstream }, 'requests go in frames')
    },
    framesLost(upstream, cause) {
      connected.set({ upstream }, 0)
      lost.inc({ upstream })
      const reason = cause?.message ?? 'the service stops'
      logger.warn(
        { event: 'frames_lost', service: upstream, reason },
        'requests go over HTTP until frames connect again',
      )
    },
  }
}

function createCounters(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const spoofed = counter('ratchet_edge_spoofed_headers_total', 'Headers of clients that only the fleet may set.', [])
  const refused = counter('ratchet_edge_key_refusals_total', 'Requests answered with 401.', ['reason'])
  const limited = counter(
    'ratchet_edge_address_limit_refusals_total',
    'Requests answered with 429: too many unknown keys from one address.',
    [],
  )
  const remembered = counter(
    'ratchet_edge_key_cache_hits_total',
    'Keys that were answered from memory, under a lease.',
    [],
  )
  const lookups = counter('ratchet_edge_key_lookups_total', 'Keys that were read from the database.', [])
  const lookupFailures = counter(
    'ratchet_edge_key_lookup_failures_total',
    'Requests answered with 503 because their key could not be looked up.',
    [],
  )
  const useFailures = counter(
    'ratchet_edge_key_use_failures_total',
    'Failed writes of last-used times; they are retried.',
    [],
  )
  const guarded = counter(
    'ratchet_edge_abuse_guard_refusals_total',
    'Requests answered with 429 by the abuse guard.',
    [],
  )
  const failures = counter(
    'ratchet_edge_upstream_failures_total',
    'Requests that a service of the fleet did not answer, or not to the end.',
    ['upstream', 'reason'],
  )
  const retries = counter('ratchet_edge_upstream_retries_total', 'Requests sent to a service again.', ['upstream'])
  const identities = counter(
    'ratchet_edge_identity_refusals_total',
    'Signed identities that a service of the fleet refused.',
    ['upstream'],
  )
  const sessions = counter(
    'ratchet_edge_session_refusals_total',
    'Requests at the session listener that the dashboard did not sign.',
    [],
  )
  const disconnects = counter(
    'ratchet_edge_client_disconnects_total',
    'Clients that did not receive the end of their answer: they disconnected, or read nothing for too long.',
    ['upstream', 'reason'],
  )
  startAtZero(refused, 'reason', ['malformed', 'unknown', 'recently-unknown'])
  for (const counted of [retries, identities]) startAtZero(counted, 'upstream', upstreams)
  for (const upstream of upstreams) {
    for (const reason of ['unreachable', 'no-answer', 'cut']) failures.inc({ upstream, reason }, 0)
    for (const reason of ['disconnected', 'stalled']) disconnects.inc({ upstream, reason }, 0)
  }
  const keys = { refused, limited, remembered, lookups, lookupFailures, useFailures }
  return { ...keys, spoofed, guarded, failures, retries, identities, sessions, disconnects }
}
