import { Counter, Gauge, type ProcessMetrics, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { CaptureEvent } from './capture/capture.ts'
import { createLedgerEvents, type LedgerEvents } from './ledger/ledger-events.ts'
import { outcomeEvents } from './outcomes/outcome-events.ts'
import type { OutcomeEvent } from './outcomes/report-outcomes.ts'
import { paymentEvents } from './payments/payment-events.ts'
import type { PaymentEvent } from './payments/top-ups.ts'
import type { RateLimitEvent } from './rate-limits/rate-limit.ts'
import type { AbandonedCalls } from './request/abandoned-calls.ts'
import type { ActiveExchanges } from './request/active-exchanges.ts'
import type { ResponseCacheEvent } from './response-cache/response-cache.ts'
import { type RoutingEvents, routingEvents } from './routing/routing-events.ts'
import type { ProviderFailure, ProviderRequest } from './wire/provider.ts'
import type { UnusableKey } from './workspace-settings/open-provider-keys.ts'

/** The events of inference, one function per fact. Each has a counter; only log lines contain ids. */
export interface InferenceEvents extends LedgerEvents, RoutingEvents {
  retry(request: ProviderRequest, failure: ProviderFailure): void
  fallback(from: ProviderRequest, to: ProviderRequest, failure: ProviderFailure): void
  ejected(deploymentId: string, forMs: number): void
  rateLimit(event: RateLimitEvent): void
  responseCache(event: ResponseCacheEvent): void
  capture(event: CaptureEvent): void
  outcomes(event: OutcomeEvent): void
  payment(event: PaymentEvent): void
  unusableKey(key: UnusableKey): void
  /** The pool does not know that its versions are used. */
  versionUsesFailed(cause: unknown): void
  /** An answer of the Responses API was charged and delivered, but could not be stored. */
  responseNotStored(requestId: string, cause: unknown): void
  /** A streamed answer was delivered without a record, because there was no memory for one. */
  unrecorded(requestId: string): void
  /** The thread that counts tokens died or hung. Estimates replace it until it is restarted. */
  countingFailed(cause: unknown): void
  /** A connection of frames was closed: its peer proved no key, or it broke the protocol. */
  framesRefused(reason: 'unproved' | 'broken', cause: Error): void
}

/** The running calls, whose number metrics show. */
interface RunningCalls {
  readonly active: Pick<ActiveExchanges, 'size'>
  readonly abandoned: Pick<AbandonedCalls, 'size'>
}

export function createEvents({ registry }: ProcessMetrics, logger: Logger, running: RunningCalls): InferenceEvents {
  const registers = [registry]
  showRunning(registers, running)
  const show = dependencyEvents(registers)
  return {
    ...createLedgerEvents(registry, logger),
    ...providerEvents(registers, logger),
    ...sharedStateEvents(registers, logger, show),
    ...internalErrorEvents(registers, logger),
    framesRefused: framesRefused(registers, logger),
    unrecorded: unrecorded(registers, logger),
    capture: captureEvents(registers, logger, show),
    ...routingEvents(registry, logger, show),
    outcomes: outcomeEvents(registry, logger),
    payment: paymentEvents(registry, logger),
  }
}

/** Dependencies that requests can do without; each has its own circuit breaker. */
const dependencyNames = [
  'rate_limits',
  'response_cache',
  'capture_stream',
  'capture_direct',
  'alias',
  'segments',
] as const

type ShowDependency = (dependency: (typeof dependencyNames)[number], event: { readonly kind: string }) => void

function dependencyEvents(registers: Registry[]): ShowDependency {
  const up = new Gauge({
    name: 'ratchet_dependency_up',
    help: '1 while inference uses the dependency, 0 while it is unavailable.',
    labelNames: ['dependency'],
    registers,
  })
  const outages = new Counter({
    name: 'ratchet_dependency_outages_total',
    help: 'How often the dependency became unavailable.',
    labelNames: ['dependency'],
    registers,
  })
  startAtZero(outages, 'dependency', dependencyNames)
  for (const dependency of dependencyNames) up.set({ dependency }, 1)
  return (dependency, { kind }) => {
    if (kind === 'unavailable') outages.inc({ dependency })
    if (kind === 'unavailable' || kind === 'recovered') up.set({ dependency }, kind === 'recovered' ? 1 : 0)
  }
}

function showRunning(registers: Registry[], { active, abandoned }: RunningCalls): void {
  new Gauge({
    name: 'ratchet_active_streams',
    help: 'Streams that are being written to clients.',
    registers,
    collect() {
      this.set(active.size)
    },
  })
  new Gauge({
    name: 'ratchet_abandoned_calls',
    help: 'Calls of providers that continue without a client, until their usage is known.',
    registers,
    collect() {
      this.set(abandoned.size)
    },
  })
}

function framesRefused(registers: Registry[], logger: Logger): InferenceEvents['framesRefused'] {
  const refused = new Counter({
    name: 'ratchet_frames_refused_total',
    help: 'Connections of frames that were closed: their peer proved no key, or broke the protocol.',
    labelNames: ['reason'],
    registers,
  })
  startAtZero(refused, 'reason', ['unproved', 'broken'])
  return (reason, cause) => {
    refused.inc({ reason })
    logger.warn({ event: 'frames_refused', reason, err: cause }, 'a connection of frames was closed')
  }
}

function unrecorded(registers: Registry[], logger: Logger): InferenceEvents['unrecorded'] {
  const answers = new Counter({
    name: 'ratchet_unrecorded_answers_total',
    help: 'Streamed answers that were not recorded, because they were too large or the share of their workspace was used up.',
    registers,
  })
  return (requestId) => {
    answers.inc()
    logger.warn({ event: 'answer_unrecorded', requestId }, 'there was no memory to record a streamed answer')
  }
}

function providerEvents(
  registers: Registry[],
  logger: Logger,
): Pick<InferenceEvents, 'retry' | 'fallback' | 'ejected' | 'versionUsesFailed'> {
  const retries = new Counter({
    name: 'ratchet_provider_retries_total',
    help: 'Calls of providers that were retried before their first byte.',
    labelNames: ['provider', 'reason'],
    registers,
  })
  const fallbacks = new Counter({
    name: 'ratchet_model_fallbacks_total',
    help: 'Requests that continued with another model, by the provider that failed.',
    labelNames: ['provider', 'reason'],
    registers,
  })
  const ejections = new Counter({
    name: 'ratchet_deployment_ejections_total',
    help: 'How often a deployment was ejected for a time after consecutive failures.',
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
    versionUsesFailed: (cause) =>
      logger.warn({ event: 'version_uses_failed', err: cause }, 'uses of model versions were not noted'),
    ejected(deploymentId, forMs) {
      ejections.inc()
      logger.warn(
        { event: 'deployment_ejected', deployment: deploymentId, forMs },
        'a deployment was ejected after consecutive failures',
      )
    },
  }
}

function sharedStateEvents(
  registers: Registry[],
  logger: Logger,
  show: ShowDependency,
): Pick<InferenceEvents, 'rateLimit' | 'responseCache'> {
  const localDecisions = new Counter({
    name: 'ratchet_rate_limit_local_decisions_total',
    help: 'Requests whose rate limit was decided from the counts of this process, because Redis is unavailable.',
    registers,
  })
  const cacheFailures = new Counter({
    name: 'ratchet_response_cache_failures_total',
    help: 'Answers that were not stored in the response cache (dropped), and entries that could not be read.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(cacheFailures, 'kind', ['dropped', 'unreadable'])
  return {
    rateLimit(event) {
      if (event.kind === 'local') localDecisions.inc()
      show('rate_limits', event)
      if (event.kind === 'unavailable')
        logger.warn({ err: event.cause }, 'Redis is unavailable: rate limits are counted by this process alone')
    },
    responseCache(event) {
      if (event.kind === 'dropped' || event.kind === 'unreadable') cacheFailures.inc({ kind: event.kind })
      show('response_cache', event)
      if (event.kind === 'unavailable') logger.warn({ err: event.cause }, 'the response cache is unavailable')
    },
  }
}

function captureEvents(registers: Registry[], logger: Logger, show: ShowDependency): InferenceEvents['capture'] {
  const captured = new Counter({
    name: 'ratchet_captured_exchanges_total',
    help: 'Exchanges for the log: delivered through the stream or directly, dropped, or too large to be logged.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(captured, 'outcome', ['stream', 'direct', 'dropped', 'too_large'])
  return (event) => {
    if ('transport' in event) show(`capture_${event.transport}`, event)
    switch (event.kind) {
      case 'delivered':
        return captured.inc({ outcome: event.transport }, event.count)
      case 'too_large':
        return captured.inc({ outcome: 'too_large' })
      case 'dropped':
        captured.inc({ outcome: 'dropped' }, event.count)
        return logger.error(
          { event: 'capture_dropped', reason: event.reason, count: event.count },
          'exchanges could not be delivered to the log',
        )
      case 'unavailable':
        return logger.warn({ err: event.cause, transport: event.transport }, 'a log transport is unavailable')
      case 'recovered':
        return logger.info({ transport: event.transport }, 'a log transport is available again')
    }
  }
}

function internalErrorEvents(
  registers: Registry[],
  logger: Logger,
): Pick<InferenceEvents, 'unusableKey' | 'responseNotStored' | 'countingFailed'> {
  const internalErrors = new Counter({
    name: 'ratchet_inference_internal_errors_total',
    help: 'Provider keys that cannot be used, responses that could not be stored, crashes of the counting thread.',
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
