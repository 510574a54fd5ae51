import { ServiceError } from '@ratchet/service-kit/service-error'
import { type HoldOutcome, type Ledger, LedgerUnavailable } from '../ledger/ledger.ts'
import { holdNano } from '../pricing/price.ts'
import { promptTokensUpperBound } from '../pricing/prompt-upper-bound.ts'
import type { RequestFacts } from '../surfaces/surface.ts'
import type { Dialect } from '../wire/dialect.ts'
import { type Billing, createBilling } from './billing.ts'
import type { FleetCall } from './fleet-call.ts'
import type { Candidates } from './plan-candidates.ts'
import type { CountTokens } from './price-answer.ts'
import { tokenBounds } from './token-bounds.ts'

export interface HoldDeps {
  readonly ledger: Ledger
  readonly countTokens: CountTokens
  /** Hears what a request came to, and what it was for: a dialect, or a purpose of the fleet. */
  readonly onCharged: (kind: string, chargedNano: bigint) => void
}

export interface HoldRequest {
  readonly billingId: string
  readonly workspaceId: string
  readonly dialect: Dialect
  readonly facts: RequestFacts
  readonly candidates: Candidates
  /** Null for a client's own request. */
  readonly fleet: FleetCall | null
}

/** Text with more bytes to a token is rare: what counting cannot win even then is not counted for. */
const maxBytesPerToken = 6

/**
 * Reserves the most the request can cost, whichever of the candidates answers. A prompt is bounded by its bytes, which
 * costs nothing to know; where the wallet does not cover that, its tokens are counted if that could save a fifth.
 *
 * @throws ServiceError `insufficient_balance`, `spend_cap_reached` where the wallet would have covered it, or
 *   `service_unavailable` when the ledger does not answer
 */
export async function takeHold(deps: HoldDeps, request: HoldRequest): Promise<Billing> {
  const byBytes = worstCase(request, ({ request: { bytes, model } }) =>
    promptTokensUpperBound({
      bodyBytes: bytes.length,
      shape: request.facts.prompt,
      imageTokensMax: model.imageTokensMax,
    }),
  )
  const refused = await hold(deps.ledger, request, byBytes)
  if (refused === 'held') return billingOf(deps, request, byBytes)
  const couldBe = worstCase(request, ({ request: { bytes } }) => Math.floor(bytes.length / maxBytesPerToken))
  const bounds =
    byBytes - couldBe < byBytes / 5n
      ? null
      : await tokenBounds(deps.countTokens, request.candidates, request.facts.prompt)
  const counted =
    bounds === null ? byBytes : worstCase(request, (_candidate, index) => bounds[index] ?? Number.POSITIVE_INFINITY)
  const outcome = counted < byBytes ? await hold(deps.ledger, request, counted) : refused
  if (outcome === 'held') return billingOf(deps, request, counted)
  throw refusalOf(outcome)
}

function refusalOf(outcome: 'refused' | 'capped'): ServiceError {
  return outcome === 'capped'
    ? new ServiceError('spend_cap_reached', 'The spend cap does not cover the most this request could cost.')
    : new ServiceError(
        'insufficient_balance',
        'The wallet does not cover the most this request could cost. Lower max_tokens or top up.',
      )
}

type BoundOf = (candidate: Candidates[number], index: number) => number

function worstCase({ facts, candidates }: HoldRequest, promptTokensOf: BoundOf): bigint {
  const costs = candidates.map((candidate, index) =>
    holdNano({
      model: candidate.request.model,
      promptTokensUpperBound: promptTokensOf(candidate, index),
      maxOutputTokens: facts.maxTokens,
      n: facts.n,
      searches: facts.searches,
    }),
  )
  return costs.reduce(larger, 0n)
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function billingOf({ ledger, onCharged }: HoldDeps, request: HoldRequest, holdNano: bigint): Billing {
  const { billingId, workspaceId } = request
  const kind = kindOf(request)
  const onSettled = (chargedNano: bigint) => onCharged(kind, chargedNano)
  return createBilling(ledger, { billingId, workspaceId, holdNano, onSettled })
}

/** What the ledger calls a request. */
function kindOf({ fleet, dialect }: HoldRequest): string {
  return fleet?.purpose ?? dialect
}

type Answered = Extract<HoldOutcome, 'held' | 'refused' | 'capped'>

async function hold(ledger: Ledger, request: HoldRequest, amountNano: bigint): Promise<Answered> {
  const { billingId, workspaceId, candidates, fleet } = request
  const { id, priceVersion } = candidates[0].request.model
  const requested = { billingId, workspaceId, amountNano, kind: kindOf(request), model: id, priceVersion }
  const cap = fleet?.cap ?? null
  const outcome = await ledger.hold(cap === null ? requested : { ...requested, cap }).catch(unavailable)
  if (outcome === 'held' || outcome === 'refused' || outcome === 'capped') return outcome
  throw new Error(`billing id ${billingId} was already ${outcome}`)
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
}
