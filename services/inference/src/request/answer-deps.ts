import type { Brand } from '@ratchet/contracts/brand'
import type { BodyBudget } from '@ratchet/service-kit/http/body-budget'
import type { AnswerContext, RequestFacts } from '../surfaces/surface.ts'
import type { ProviderRequest } from '../wire/provider.ts'
import type { AbandonedCalls } from './abandoned-calls.ts'
import type { ActiveExchanges } from './active-exchanges.ts'
import type { CallModelsOptions } from './call-models.ts'
import type { CountTokensOf } from './price-answer.ts'
import type { FundedRequest } from './request-records.ts'

/** Dependencies of the two functions that answer a funded request. */
export interface AnswerDeps extends Pick<CallModelsOptions, 'random' | 'onRetry' | 'onFallback' | 'watchCalls'> {
  readonly brand: Brand
  readonly active: ActiveExchanges
  readonly abandoned: AbandonedCalls
  readonly countTokensOf: CountTokensOf
  /** Memory for answers: those that are read, recorded or translated, and those whose clients do not read. */
  readonly answers: BodyBudget
  /** A stream was answered without a record, because there was no memory for one. */
  readonly onUnrecorded: (requestId: string) => void
  readonly now: () => Date
  /** Milliseconds in which a client may hardly read a full buffer before it counts as disconnected. */
  readonly slowReaderMs: number
}

export function answerContext(
  { now }: Pick<AnswerDeps, 'now'>,
  request: ProviderRequest,
  facts: RequestFacts,
): AnswerContext {
  return { request, facts, created: unixSeconds(now()) }
}

/** Milliseconds since the request arrived. */
export function elapsedMs({ now }: Pick<AnswerDeps, 'now'>, { startedAt }: Pick<FundedRequest, 'startedAt'>): number {
  return Math.max(0, now().getTime() - startedAt.getTime())
}

export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}
