import type { Brand } from '@ratchet/contracts/brand'
import type { AnswerContext, RequestFacts, Surface } from '../surfaces/surface.ts'
import type { ProviderRequest } from '../wire/provider.ts'
import type { ActiveExchanges } from './active-exchanges.ts'
import type { ArmWatch } from './arm-watch.ts'
import type { Billing } from './billing.ts'
import type { CallModelsOptions } from './call-models.ts'
import type { CompletionHook } from './completion-hooks.ts'
import type { FleetCall } from './fleet-call.ts'
import type { Candidates } from './plan-candidates.ts'
import type { CountTokens } from './price-answer.ts'

/** What answering needs from outside. */
export interface AnswerDeps extends Pick<CallModelsOptions, 'random' | 'onRetry' | 'onFallback' | 'watchCalls'> {
  readonly brand: Brand
  readonly active: ActiveExchanges
  readonly countTokens: CountTokens
  readonly now: () => Date
  /** Milliseconds a client may leave a full buffer unread before it counts as gone. */
  readonly slowReaderMs: number
}

/** A request that was understood, priced and paid for in advance. */
export interface Exchange {
  /** As the client's `X-Request-Id` says it. */
  readonly requestId: string
  /** When the request came. */
  readonly startedAt: Date
  readonly surface: Surface
  readonly facts: RequestFacts
  readonly candidates: Candidates
  readonly billing: Billing
  /** Whether the answer might have come from the cache, had it been there. */
  readonly cache: 'miss' | 'off'
  /**
   * It has an idempotency key: it is answered to its end though its client left, for whoever asks again, and what it
   * costs until then is nobody's.
   */
  readonly isKeyed: boolean
  /** Null for a client's own request. */
  readonly fleet: FleetCall | null
  /** Who keeps the answer: a cache, a record of an idempotent request, a store of responses. Null for nobody. */
  readonly completionHook: Required<CompletionHook> | null
  /** Counts how the model fares that an alias led to; null where none did. */
  readonly arm: ArmWatch | null
}

export function answerContext(
  { now }: Pick<AnswerDeps, 'now'>,
  request: ProviderRequest,
  facts: RequestFacts,
): AnswerContext {
  return { request, facts, created: unixSeconds(now()) }
}

/** Milliseconds since the request came. */
export function elapsedMs({ now }: Pick<AnswerDeps, 'now'>, { startedAt }: Pick<Exchange, 'startedAt'>): number {
  return Math.max(0, now().getTime() - startedAt.getTime())
}

export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}
