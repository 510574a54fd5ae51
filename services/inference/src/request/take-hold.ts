import type { Brand } from '@ratchet/contracts/brand'
import { redactOptional } from '@ratchet/redaction/redact-identifier'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type AppliedBudget, appliedBudgets } from '../budgets/applied-budgets.ts'
import { budgetExceeded } from '../budgets/budget-exceeded.ts'
import { type EndUser, endUserOf } from '../end-users/end-user.ts'
import type { EndUserNames } from '../end-users/name-end-users.ts'
import { type Hold, type HoldOutcome, type Ledger, LedgerUnavailable, type UsageLabels } from '../ledger/ledger.ts'
import { isOverBudget, type OverBudget } from '../ledger/over-budget.ts'
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
  readonly endUsers: Pick<EndUserNames, 'seen'>
  /** Decides in which windows of budgets a request counts. */
  readonly now: () => Date
  /** Is called with each charge. `kind` is a dialect or the purpose of an internal call. */
  readonly onCharged: (kind: string, chargedNano: bigint) => void
}

/** Text with more bytes per token is rare, so a count saves no more than this assumes. */
const maxBytesPerToken = 6

/**
 * Reserves the maximum cost of the request over all its candidates. The prompt is first bounded by its bytes, which costs
 * nothing. Its tokens are counted only when the wallet does not cover that bound and a count could lower it by a fifth.
 *
 * @throws ServiceError `insufficient_balance`; `spend_cap_reached` when the wallet would have covered it; `service_unavailable`
 *   when the ledger does not answer
 * @throws BudgetExceeded when wallet and cap would have covered it
 */
export async function takeHold(deps: HoldDeps, planned: PlannedRequest): Promise<Billing> {
  const byBytes = costBound(planned)
  const labels = labelsOf(deps.brand, planned)
  // A request that is refused costs nothing, so it stores nothing either.
  const held = (amountNano: bigint) => {
    if (labels.endUser !== null) deps.endUsers.seen(planned.identity.workspaceId, labels.endUser)
    return billingOf(deps, planned, amountNano)
  }
  const applied = budgetsOf(deps, planned, labels)
  const refused = await hold(deps, planned, { amountNano: byBytes, applied, labels })
  if (refused === 'held') return held(byBytes)
  const lowest = maxCostNano(planned, ({ request: { bytes } }) => Math.floor(bytes.length / maxBytesPerToken))
  const bounds =
    byBytes - lowest < byBytes / 5n
      ? null
      : await tokenBounds(deps.countTokensOf(planned.identity.workspaceId), planned.candidates, planned.facts.prompt)
  const counted =
    bounds === null ? byBytes : maxCostNano(planned, (_candidate, index) => bounds[index] ?? Number.POSITIVE_INFINITY)
  const outcome = counted < byBytes ? await hold(deps, planned, { amountNano: counted, applied, labels }) : refused
  if (outcome === 'held') return held(counted)
  throw isOverBudget(outcome) ? budgetExceeded(applied, outcome) : refusalOf(outcome)
}

/** The maximum cost of a request by the bytes of its prompt, over all its candidates, nano-dollars. */
export function costBound(planned: Bounded): bigint {
  return maxCostNano(planned, ({ request: { bytes, model } }) =>
    promptTokensUpperBound({
      bodyBytes: bytes.length,
      shape: planned.facts.prompt,
      imageTokensMax: model.imageTokensMax,
    }),
  )
}

type Bounded = Pick<PlannedRequest, 'facts' | 'candidates' | 'body' | 'surface'>

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

function maxCostNano({ facts, candidates, body, surface }: Bounded, promptTokensOf: PromptTokensOf): bigint {
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

type Answered = Extract<HoldOutcome, 'held' | 'refused' | 'capped' | OverBudget>

/** A workspace without budgets pays nothing for them. */
function budgetsOf(
  { now }: HoldDeps,
  { settings, identity }: PlannedRequest,
  labels: Labels,
): readonly AppliedBudget[] {
  if (settings.budgets.length === 0) return []
  const spender = { keyId: identity.keyId, user: labels.endUser, tag: labels.tag }
  return appliedBudgets(settings.budgets, spender, now())
}

interface Asked {
  readonly amountNano: bigint
  readonly applied: readonly AppliedBudget[]
  readonly labels: Labels
}

async function hold(
  { ledger }: HoldDeps,
  planned: PlannedRequest,
  { amountNano, applied, labels: { endUser, ...named } }: Asked,
): Promise<Answered> {
  const { billingId, isKeyed, identity, candidates, internalCall } = planned
  const { id: model, priceVersion } = candidates[0].request.model
  const { workspaceId } = identity
  const isUnique = !isKeyed
  const labels = { ...named, endUserId: endUser?.id ?? null }
  const unlimited: Hold = {
    billingId,
    workspaceId,
    amountNano,
    kind: kindOf(planned),
    model,
    priceVersion,
    labels,
    isUnique,
  }
  const cap = internalCall?.cap ?? null
  const capped = cap === null ? unlimited : { ...unlimited, cap }
  const budgeted = applied.length === 0 ? capped : { ...capped, budgets: applied.map(({ window }) => window) }
  const asked = { ...budgeted, ...outOf(identity) }
  const outcome = await ledger.hold(asked).catch(unavailable)
  if (outcome === 'held' || outcome === 'refused' || outcome === 'capped' || isOverBudget(outcome)) return outcome
  throw new Error(`billing id ${billingId} was already ${outcome}`)
}

/** A request of a batch is held for out of what the batch holds. */
function outOf({ batchHold }: PlannedRequest['identity']): Pick<Hold, 'from'> {
  if (batchHold === undefined) return {}
  return { from: { holdId: batchHold.id, keepNano: BigInt(batchHold.keepNano) } }
}

interface Labels extends Omit<UsageLabels, 'endUserId'> {
  readonly endUser: EndUser | null
}

function labelsOf(brand: Brand, { identity, httpRequest, body, alias }: PlannedRequest): Labels {
  const { keyId, workspaceId } = identity
  const tag = redactOptional(headerOf(httpRequest, brand.headers.tag))
  const endUser = endUserOf(brand, { httpRequest, body, workspaceId })
  return { keyId, tag, alias: alias?.name ?? null, endUser }
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
}
