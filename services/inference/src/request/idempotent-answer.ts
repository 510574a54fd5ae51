import { costNanoHeader, latencyMsHeader, providerHeader } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import {
  type Claim,
  type ClaimOutcome,
  type IdempotencyStore,
  IdempotencyUnavailable,
  type RecordedAnswer,
} from '../idempotency/idempotency.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import { requestFingerprint } from '../idempotency/request-fingerprint.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type AnswerDeps, unixSeconds } from './answer-deps.ts'
import type { CompletionHook, FinishedAnswer } from './completion-hooks.ts'
import { rawHeaderOf } from './header-of.ts'
import { internalReplayMs, statesCost } from './internal-call.ts'
import { replayAnswer, reserveReplay } from './replay-answer.ts'
import type { ParsedRequest } from './request-records.ts'

export interface IdempotencyDeps extends Pick<AnswerDeps, 'brand' | 'now'> {
  readonly idempotency: IdempotencyStore
  readonly ledger: Ledger
}

/** The key is new, or its earlier attempt failed: this request has to be answered. */
export interface OpenClaim {
  readonly answered: false
  /** The id that the answer is charged under. */
  readonly billingId: string
  /** Records the answer under the key. */
  readonly completionHook: CompletionHook
}

/** The key was answered before. The recorded answer can be replayed without a further charge. */
export interface AnsweredClaim {
  readonly answered: true
  readonly billingId: string
  readonly replay: () => Promise<void>
}

export type RequestClaim = OpenClaim | AnsweredClaim

/** Milliseconds between two renewals of the lease of a claim, while its request is answered. */
const extendEveryMs = 10_000

/**
 * Claims the `Idempotency-Key` of a request. Null, and at once, for a request without a key, which only a client may send: an internal
 * call spends the money of a workspace, so it must be possible to retry it without a second charge.
 *
 * @throws ServiceError `invalid_request` for an internal call without a key, `idempotency_conflict` when the key belongs
 *   to a different request, `conflict` while the first request with the key is being answered, `service_unavailable`
 *   when the records cannot be read
 */
export function claimIdempotency(deps: IdempotencyDeps, parsed: ParsedRequest): Promise<RequestClaim> | null {
  const { httpRequest, internalCall } = parsed
  const key = readIdempotencyKey(rawHeaderOf(httpRequest, 'Idempotency-Key'))
  if (key === null && internalCall !== null) throw keyMissing()
  return key === null ? null : claimKey(deps, parsed, key)
}

async function claimKey(deps: IdempotencyDeps, parsed: ParsedRequest, key: string): Promise<RequestClaim> {
  const { httpRequest, bytes, scan, identity, internalCall } = parsed
  const fingerprint = requestFingerprint({ method: httpRequest.method, path: httpRequest.path, bytes, scan })
  const { workspaceId } = identity
  const scope = scopeOf({ identity, internalCall }, key)
  const outcome = await deps.idempotency.claim({ workspaceId, fingerprint, ...scope }).catch(unavailable)
  if (outcome.kind === 'claimed') {
    const { billingId } = outcome.claim
    return { answered: false, billingId, completionHook: recordHook(deps, outcome.claim, parsed) }
  }
  if (outcome.kind === 'replay') return replayOf(deps, parsed, outcome)
  throw refusal(outcome)
}

/**
 * No key of a client contains a space, so the keys of internal calls and of batches never collide with those of the
 * workspace.
 */
function scopeOf({ identity, internalCall }: Pick<ParsedRequest, 'identity' | 'internalCall'>, key: string) {
  const use = internalCall?.purpose ?? (identity.channel === 'batch' ? 'batch' : null)
  return use === null ? { key } : { key: `${use} ${key}`, keepMs: internalReplayMs }
}

function keyMissing(): ServiceError {
  return new ServiceError('invalid_request', 'A call with a purpose needs an Idempotency-Key.', {
    param: 'Idempotency-Key',
  })
}

function refusal({ kind }: { readonly kind: 'conflict_body' | 'running' }): ServiceError {
  if (kind === 'running') {
    return new ServiceError('conflict', 'A request with this Idempotency-Key is being answered.', {
      retryAfterSeconds: 1,
    })
  }
  return new ServiceError('idempotency_conflict', 'This Idempotency-Key was used for another request.', {
    param: 'Idempotency-Key',
  })
}

/** Records the answer before it is charged, so that every answer that was charged can be replayed. */
function recordHook(deps: IdempotencyDeps, claim: Claim, parsed: ParsedRequest): CompletionHook {
  const { idempotency } = deps
  const timer = setInterval(() => void idempotency.extend(claim).catch(() => undefined), extendEveryMs)
  return {
    async beforeCharge(answer) {
      clearInterval(timer)
      const outcome = await idempotency.record(claim, recordOf(deps, parsed, answer)).catch(unavailable)
      if (outcome === 'lost') throw refusal({ kind: 'running' })
    },
    abandoned() {
      clearInterval(timer)
      void idempotency.abandon(claim)
    },
  }
}

function recordOf(
  { brand }: IdempotencyDeps,
  { surface, alias, internalCall }: ParsedRequest,
  { bytes, servedModel, provider, costNano, latencyMs }: FinishedAnswer,
): RecordedAnswer {
  const headers = {
    ...(alias === null ? {} : { [brand.headers.alias]: alias.name }),
    ...(internalCall === null ? {} : { [providerHeader]: provider }),
    ...(latencyMs === undefined ? {} : { [latencyMsHeader]: String(latencyMs) }),
  }
  return { status: 200, dialect: surface.dialect, servedModel, headers, body: bytes, costNano }
}

function replayOf(
  deps: IdempotencyDeps,
  { surface, facts, identity, internalCall, conversationId, httpResponse, reserveAnswer }: ParsedRequest,
  { billingId, answer }: Extract<ClaimOutcome, { kind: 'replay' }>,
): AnsweredClaim {
  return {
    answered: true,
    billingId,
    async replay() {
      reserveReplay({ reserveAnswer }, answer.body)
      const { costNano } = answer
      const chargedNano = await chargeAgain(deps.ledger, { billingId, workspaceId: identity.workspaceId, costNano })
      const { headers } = deps.brand
      const isReplayed = replayAnswer(httpResponse, {
        surface,
        context: { facts, created: unixSeconds(deps.now()) },
        bytes: answer.body,
        chargedNano,
        conversationId,
        headers: {
          ...answer.headers,
          ...(statesCost({ identity, internalCall }) ? { [costNanoHeader]: String(chargedNano) } : {}),
          [headers.servedModel]: answer.servedModel,
          'Idempotent-Replay': 'true',
        },
        costHeader: headers.costUsd,
      })
      if (!isReplayed) throw new Error(`the answer billed as ${billingId} cannot be read`)
    },
  }
}

/**
 * Charges a recorded answer. The process that recorded it may have died before it charged it; a second charge of the
 * same billing id has no effect. An answer without a cost had no hold, so there is nothing to charge.
 */
async function chargeAgain(ledger: Ledger, settle: Parameters<Ledger['settle']>[0]): Promise<bigint> {
  return settle.costNano === 0n ? 0n : (await ledger.settle(settle)).chargedNano
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof IdempotencyUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The records of idempotent requests do not answer.', {
    retryAfterSeconds: 1,
    cause,
  })
}
