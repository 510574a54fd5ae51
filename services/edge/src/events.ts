import { Counter, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { routingTable } from './routing-table.ts'

/** What the edge reports about itself: one function for each fact, counted, and logged where someone must look. */
export interface EdgeEvents {
  headersSpoofed(count: number): void
  keyRefused(reason: 'malformed' | 'unknown' | 'recently-unknown'): void
  /** Too many unknown keys from one address: answered with 429. */
  addressLimited(): void
  keyLookupFailed(): void
  keyUseLost(cause: unknown): void
  guardRefused(): void
  guardNotPruned(cause: unknown): void
  upstreamFailed(service: string, reason: 'unreachable' | 'no-answer' | 'cut'): void
  upstreamRetried(service: string): void
  /** A service did not believe the identity we signed: keys differ, or something speaks for us. */
  identityRefused(service: string, requestId: string): void
  clientLeft(service: string): void
  clientStalled(service: string): void
}

const serviceNames = [...new Set(routingTable.map(({ service }) => service))]

export function createEdgeEvents(registry: Registry, logger: Logger): EdgeEvents {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const spoofed = counter('edge_spoofed_headers_total', 'Headers that tried to pass for the fleet’s own.', [])
  const refused = counter('edge_keys_refused_total', 'Requests answered with 401.', ['reason'])
  const limited = counter('edge_address_limited_total', 'Unknown keys answered with 429.', [])
  const lookupsFailed = counter(
    'edge_key_lookups_failed_total',
    'Requests answered with 503 for want of a look-up.',
    [],
  )
  const usesLost = counter('edge_key_use_failures_total', 'Last-used times that could not be written yet.', [])
  const guarded = counter('edge_abuse_guard_refusals_total', 'Guarded calls answered with 429.', [])
  const failures = counter('edge_upstream_failures_total', 'Exchanges that a service failed.', ['service', 'reason'])
  const retries = counter('edge_upstream_retries_total', 'Requests sent a second time.', ['service'])
  const identities = counter('edge_identity_refused_total', 'Signed identities that a service refused.', ['service'])
  const left = counter('edge_clients_left_total', 'Clients that left before the end of their answer.', [
    'service',
    'how',
  ])
  startAtZero(refused, 'reason', ['malformed', 'unknown', 'recently-unknown'])
  for (const counted of [retries, identities]) startAtZero(counted, 'service', serviceNames)
  for (const service of serviceNames) {
    for (const reason of ['unreachable', 'no-answer', 'cut']) failures.inc({ service, reason }, 0)
    for (const how of ['left', 'stalled']) left.inc({ service, how }, 0)
  }
  return {
    headersSpoofed: (count) => spoofed.inc(count),
    keyRefused: (reason) => refused.inc({ reason }),
    addressLimited: () => limited.inc(),
    keyLookupFailed: () => lookupsFailed.inc(),
    keyUseLost(cause) {
      usesLost.inc()
      logger.warn({ event: 'key_use_lost', err: cause }, 'last-used times not written, kept for the next try')
    },
    guardRefused: () => guarded.inc(),
    guardNotPruned: (cause) =>
      logger.warn({ event: 'guard_not_pruned', err: cause }, 'old guarded calls not removed yet'),
    upstreamFailed: (service, reason) => failures.inc({ service, reason }),
    upstreamRetried: (service) => retries.inc({ service }),
    identityRefused(service, requestId) {
      identities.inc({ service })
      logger.error({ event: 'identity_refused', service, requestId }, 'a service refused the identity we signed')
    },
    clientLeft: (service) => left.inc({ service, how: 'left' }),
    clientStalled: (service) => left.inc({ service, how: 'stalled' }),
  }
}
