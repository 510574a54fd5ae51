import type { Brand } from '@ratchet/contracts/brand'
import { redactOptional } from '@ratchet/redaction/redact-identifier'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type HoldOutcome, type Ledger, LedgerUnavailable, type UsageLabels } from '../ledger/ledger.ts'
import { countedPromptBound } from '../pricing/counted-prompt-bound.ts'
import { holdNano } from '../pricing/price.ts'
import type { PromptShape } from '../pricing/prompt-shape.ts'
import { promptTokensUpperBound } from '../pricing/prompt-upper-bound.ts'
import { collectTexts, countTokenIds } from '../tokenizer/collect-texts.ts'
import { modelEncoding } from '../tokenizer/model-encoding.ts'
import { priceTerms } from '../wire/hosted-tools.ts'
import { longCachePath } from '../wire/long-cache.ts'
import { type Billing, createBilling } from './billing.ts'
import type { Candidates } from './call-models.ts'
import { headerOf } from './header-of.ts'
import type { CountTokens, CountTokensOf } from './price-answer.ts'
import type { PlannedRequest } from './request-records.ts'

export interface HoldDeps {
  readonly ledger: Ledger
  readonly countTokensOf: CountTokensOf
  readonly brand: Brand
  /** Is called with each charge. `kind` is a dialect or the purpose of an internal call. */
  readonly onCharged: (kind: string, chargedNano: bigint) => void
}

/** Text with more bytes per token is rare, so a count saves no more than this assumes. */
const maxBytesPerToken = 6

/**
 * Reserves the maximum cost of the request over all its candidates. The prompt is first bounded by its bytes, which costs
 * nothing. Its tokens are counted only when the wallet does not cover that bound and a count could lower it by a fifth.
 *
 * @throws ServiceError `insufficient_balance`, `spend_cap_reached` when the wallet would have covered it, or
 *   `service_unavailable` when the ledger does not answer
 */
export async function takeHold(deps: HoldDeps, planned: PlannedRequest): Promise<Billing> {
  const byBytes = maxCostNano(planned, ({ request: { bytes, model } }) =>
    promptTokensUpperBound({
      bodyBytes: bytes.length,
      shape: planned.facts.prompt,
      imageTokensMax: model.imageTokensMax,
    }),
  )
  const refused = await hold(deps, planned, byBytes)
  if (refused === 'held') return billingOf(deps, planned, byBytes)
  const lowest = maxCostNano(planned, ({ request: { bytes } }) => Math.floor(bytes.length / maxBytesPerToken))
  const bounds =
    byBytes - lowest < byBytes / 5n
      ? null
      : await tokenBounds(deps.countTokensOf(planned.identity.workspaceId), planned.candidates, planned.facts.prompt)
  const counted =
    bounds === null ? byBytes : maxCostNano(planned, (_candidate, index) => bounds[index] ?? Number.POSITIVE_INFINITY)
  const outcome = counted < byBytes ? await hold(deps, planned, counted) : refused
  if (outcome === 'held') return billingOf(deps, planned, counted)
  throw refusalOf(outcome)
}

/**
 * An upper bound on the prompt's tokens for each candidate, counted by a tokenizer; null when the count took too long.
 */
async function tokenBounds(
  countTokens: CountTokens,
  candidates: Candidates,
  shape: PromptShape,
): Promise<readonly number[] | null> {
  const { body } = candidates[0].request
  const texts = collectTexts(body)
  const tokenIds = countTokenIds(body)
  const bounds = await Promise.all(
    candidates.map(async ({ request: { model } }) => {
      const tokens = await countTokens(model, texts)
      const { exact } = modelEncoding(model)
      const { imageTokensMax } = model
      return tokens === null ? null : countedPromptBound({ tokens: tokens + tokenIds, shape, imageTokensMax, exact })
    }),
  )
  const counted = bounds.filter((bound) => bound !== null)
  return counted.length === bounds.length ? counted : null
}

function refusalOf(outcome: 'refused' | 'capped'): ServiceError {
  return outcome === 'capped'
    ? new ServiceError('spend_cap_reached', 'The spend cap does not cover the maximum cost of this request.')
    : new ServiceError(
        'insufficient_balance',
        'The wallet does not cover the maximum cost of this request. Lower max_tokens or top up.',
      )
}

type PromptTokensOf = (candidate: Candidates[number], index: number) => number

function maxCostNano({ facts, candidates, body, surface }: PlannedRequest, promptTokensOf: PromptTokensOf): bigint {
  // In other dialects the adapters lower all caches to five minutes.
  const hasLongPrice =
    surface.dialect === 'messages' && candidates.some(({ request }) => request.model.rates.cacheWriteLong !== null)
  const cachesLong = hasLongPrice && longCachePath(body) !== null
  const costs = candidates.map((candidate, index) =>
    holdNano({
      model: candidate.request.model,
      promptTokensUpperBound: promptTokensOf(candidate, index),
      maxOutputTokens: facts.maxTokens,
      n: facts.n,
      searches: facts.searches,
      units: facts.units?.most ?? 0,
      cachesLong,
      terms: priceTerms(candidate.request),
    }),
  )
  return costs.reduce(larger, 0n)
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function billingOf({ ledger, onCharged }: HoldDeps, planned: PlannedRequest, holdNano: bigint): Billing {
  const kind = kindOf(planned)
  return createBilling(ledger, {
    billingId: planned.billingId,
    workspaceId: planned.identity.workspaceId,
    holdNano,
    onSettled: (chargedNano) => onCharged(kind, chargedNano),
  })
}

/** The name under which the ledger lists the request. */
function kindOf({ internalCall, surface }: PlannedRequest): string {
  return internalCall?.purpose ?? surface.dialect
}

type Answered = Extract<HoldOutcome, 'held' | 'refused' | 'capped'>

async function hold({ ledger, brand }: HoldDeps, planned: PlannedRequest, amountNano: bigint): Promise<Answered> {
  const { billingId, isKeyed, identity, candidates, internalCall } = planned
  const { id: model, priceVersion } = candidates[0].request.model
  const { workspaceId } = identity
  const isUnique = !isKeyed
  const labels = labelsOf(brand, planned)
  const uncapped = { billingId, workspaceId, amountNano, kind: kindOf(planned), model, priceVersion, labels, isUnique }
  const cap = internalCall?.cap ?? null
  const outcome = await ledger.hold(cap === null ? uncapped : { ...uncapped, cap }).catch(unavailable)
  if (outcome === 'held' || outcome === 'refused' || outcome === 'capped') return outcome
  throw new Error(`billing id ${billingId} was already ${outcome}`)
}

function labelsOf({ headers }: Brand, { identity, httpRequest, alias }: PlannedRequest): UsageLabels {
  const tag = headerOf(httpRequest, headers.tag)
  return { keyId: identity.keyId, tag: redactOptional(tag), alias: alias?.name ?? null }
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
}
