import { Counter, Gauge, type ProcessMetrics, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { CaptureEvent } from './capture/capture.ts'
import { createLedgerEvents, type LedgerEvents } from './ledger/ledger-events.ts'
import type { RateLimitEvent } from './rate-limits/rate-limit.ts'
import type { ActiveExchanges } from './request/active-exchanges.ts'
import type { ResponseCacheEvent } from './response-cache/response-cache.ts'
import type { AliasTrafficEvent } from './routing/arm-recorder.ts'
import type { ProviderFailure, ProviderRequest } from './wire/provider.ts'
import type { UnusableKey } from './workspace-settings/open-provider-keys.ts'

/** What inference reports of its business: one function per fact, a counter each, ids only in logs. */
export interface InferenceEvents extends LedgerEvents {
  retry(request: ProviderRequest, failure: ProviderFailure): void
  fallback(from: ProviderRequest, to: ProviderRequest, failure: ProviderFailure): void
  ejected(deploymentId: string, forMs: number): void
  rateLimit(event: RateLimitEvent): void
  responseCache(event: ResponseCacheEvent): void
  capture(event: CaptureEvent): void
  aliasTraffic(event: AliasTrafficEvent): void
  unusableKey(key: UnusableKey): void
  /** An answer of the Responses API was charged and given, but could not be stored. */
  responseNotStored(requestId: string, cause: unknown): void
  /** The thread that counts tokens died or hung; estimates take its place until it is back. */
  countingFailed(cause: unknown): void
}

export function createEvents({ registry }: ProcessMetrics, logger: Logger, active: ActiveExchanges): InferenceEvents {
  const registers = [registry]
  showActive(registers, active)
  const dependencies = new Gauge({
    name: 'dependency_away',
    help: 'What inference does without at present: 1 while it is away, 0 while it is used.',
    labelNames: ['dependency'],
    registers,
  })
  const show: ShowDependency = (dependency, event) => {
    if (event.kind === 'away' || event.kind === 'back') dependencies.set({ dependency }, event.kind === 'away' ? 1 : 0)
  }
  for (const dependency of dependencyNames) show(dependency, { kind: 'back' })
  return {
    ...createLedgerEvents(registry, logger),
    ...providerEvents(registers, logger),
    ...sharedStateEvents(registers, logger, show),
    ...internalErrorEvents(registers, logger),
    capture: captureEvents(registers, logger, show),
    aliasTraffic: aliasTrafficEvents(registers, logger, show),
  }
}

/** What requests do without when they must: each has a breaker of its own. */
const dependencyNames = ['rate_limits', 'response_cache', 'capture_stream', 'capture_direct', 'alias'] as const

type ShowDependency = (dependency: (typeof dependencyNames)[number], event: { readonly kind: string }) => void

function showActive(registers: Registry[], active: ActiveExchanges): void {
  new Gauge({
    name: 'active_streams',
    help: 'Streams being written to clients.',
    registers,
    collect() {
      this.set(active.size)
    },
  })
}

function providerEvents(
  registers: Registry[],
  logger: Logger,
): Pick<InferenceEvents, 'retry' | 'fallback' | 'ejected'> {
  const retries = new Counter({
    name: 'provider_retries_total',
    help: 'Provider calls tried again before their first byte.',
    labelNames: ['provider', 'reason'],
    registers,
  })
  const fallbacks = new Counter({
    name: 'model_fallbacks_total',
    help: 'Requests that went on to another model, by the provider that failed.',
    labelNames: ['provider', 'reason'],
    registers,
  })
  const ejections = new Counter({
    name: 'deployment_ejections_total',
    help: 'Deployments left alone for a while after failures in a row.',
    registers,
  })
  return {
    retry({ requestId, model }, { kind, message }) {
      retries.inc({ provider: model.provider, reason: kind })
      logger.info({ event: 'provider_retry', requestId, model: model.id, reason: kind }, message)
    },
    fallback({ requestId, model }, to, { kind, message }) {
      fallbacks.inc({ provider: model.provider, reason: kind })
      logger.info({ event: 'model_fallback', requestId, model: model.id, to: to.model.id, reason: kind }, message)
    },
    ejected(deploymentId, forMs) {
      ejections.inc()
      logger.warn({ event: 'deployment_ejected', deployment: deploymentId, forMs }, 'a deployment keeps failing')
    },
  }
}

function sharedStateEvents(
  registers: Registry[],
  logger: Logger,
  show: ShowDependency,
): Pick<InferenceEvents, 'rateLimit' | 'responseCache'> {
  const rateLimits = new Counter({
    name: 'rate_limit_events_total',
    help: 'Redis away and back, and requests that this process judged by its own buckets.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(rateLimits, 'kind', ['away', 'back', 'local'])
  const cache = new Counter({
    name: 'response_cache_events_total',
    help: 'Redis away and back, answers dropped, and entries that cannot be read.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(cache, 'kind', ['away', 'back', 'dropped', 'unreadable'])
  return {
    rateLimit(event) {
      rateLimits.inc({ kind: event.kind })
      show('rate_limits', event)
      if (event.kind === 'away') logger.warn({ err: event.cause }, 'rate limits are counted by this process alone')
    },
    responseCache(event) {
      cache.inc({ kind: event.kind })
      show('response_cache', event)
      if (event.kind === 'away') logger.warn({ err: event.cause }, 'the response cache is away')
    },
  }
}

function captureEvents(registers: Registry[], logger: Logger, show: ShowDependency): InferenceEvents['capture'] {
  const captured = new Counter({
    name: 'captured_exchanges_total',
    help: 'Exchanges on their way to the log: delivered through the stream or directly, dropped, too large to be logged.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(captured, 'outcome', ['stream', 'direct', 'dropped', 'too_large'])
  return (event) => {
    if ('way' in event) show(`capture_${event.way}`, event)
    switch (event.kind) {
      case 'delivered':
        return captured.inc({ outcome: event.way }, event.count)
      case 'too_large':
        return captured.inc({ outcome: 'too_large' })
      case 'dropped':
        captured.inc({ outcome: 'dropped' }, event.count)
        return logger.error(
          { event: 'capture_dropped', reason: event.reason, count: event.count },
          'exchanges were lost',
        )
      case 'away':
        return logger.warn({ err: event.cause, way: event.way }, 'a way to the log is away')
      case 'back':
        return logger.info({ way: event.way }, 'a way to the log is back')
    }
  }
}

function aliasTrafficEvents(
  registers: Registry[],
  logger: Logger,
  show: ShowDependency,
): InferenceEvents['aliasTraffic'] {
  const reports = new Counter({
    name: 'alias_traffic_reports_total',
    help: 'Reports of what came by on aliases: taken, refused, lost at the end; the alias service away and back.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(reports, 'kind', ['reported', 'away', 'back', 'refused', 'lost'])
  return (event) => {
    reports.inc({ kind: event.kind })
    show('alias', event)
    switch (event.kind) {
      case 'reported':
        return
      case 'away':
        return logger.warn({ err: event.cause }, 'the alias service is away')
      case 'back':
        return logger.info('the alias service is back')
      case 'refused':
        return logger.error(
          { event: 'alias_traffic_refused', arms: event.arms, err: event.cause },
          'the alias service refused a report',
        )
      case 'lost':
        return logger.error({ event: 'alias_traffic_lost', arms: event.arms }, 'counts of aliases were lost')
    }
  }
}

function internalErrorEvents(
  registers: Registry[],
  logger: Logger,
): Pick<InferenceEvents, 'unusableKey' | 'responseNotStored' | 'countingFailed'> {
  const internalErrors = new Counter({
    name: 'inference_mishaps_total',
    help: 'Provider keys that cannot be used, responses that could not be stored, deaths of the counting thread.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(internalErrors, 'kind', ['unusable_key', 'response_not_stored', 'counting_failed'])
  return {
    unusableKey(key) {
      internalErrors.inc({ kind: 'unusable_key' })
      logger.error({ event: 'provider_key_unusable', ...key }, "a workspace's provider key cannot be used")
    },
    responseNotStored(requestId, cause) {
      internalErrors.inc({ kind: 'response_not_stored' })
      logger.error({ event: 'response_not_stored', requestId, err: cause }, 'a response could not be stored')
    },
    countingFailed(cause) {
      internalErrors.inc({ kind: 'counting_failed' })
      logger.warn({ err: cause }, 'the thread that counts tokens failed')
    },
  }
}
