import { costNanoHeader, type Identity, latencyMsHeader, providerHeader } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Request, Response } from 'express'
import {
  type Claim,
  type ClaimOutcome,
  type IdempotencyStore,
  IdempotencyUnavailable,
  type KeptAnswer as RecordedAnswer,
} from '../idempotency/idempotency.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import { requestFingerprint } from '../idempotency/request-fingerprint.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { RequestFacts, Surface } from '../surfaces/surface.ts'
import type { CompletionHook, KeptAnswer } from './completion-hooks.ts'
import { type AnswerDeps, unixSeconds } from './exchange.ts'
import { type FleetCall, fleetKeepMs } from './fleet-call.ts'
import type { ReadRequest } from './read-request.ts'
import { replayAnswer } from './replay-answer.ts'

export interface IdempotencyDeps extends Pick<AnswerDeps, 'brand' | 'now'> {
  readonly idempotency: IdempotencyStore
  readonly ledger: Ledger
}

export interface ClaimRequest {
  readonly request: Request
  readonly response: Response
  readonly read: ReadRequest
  readonly identity: Identity
  /** Null for a client's own request. */
  readonly fleet: FleetCall | null
  /** Headers of the answer that a replay of it has too. */
  readonly headers: Readonly<Record<string, string>>
}

/** A key that is ours to answer. */
export interface OpenClaim {
  readonly answered: false
  /** Id that the answer is charged under. */
  readonly billingId: string
  readonly completionHook: CompletionHook
}

/** A key that was answered before: the answer can be given again, for nothing more. */
export interface AnsweredClaim {
  readonly answered: true
  readonly billingId: string
  readonly replay: (surface: Surface, facts: RequestFacts) => Promise<void>
}

/** What a request with an `Idempotency-Key` found out. */
export type RequestClaim = OpenClaim | AnsweredClaim

/** The lease of a claim is renewed as often as this while its request is answered. */
const extendEveryMs = 10_000

/**
 * Null for a request without a key, which only a client may make: whoever spends another's money must be able to ask
 * again.
 *
 * @throws ServiceError `invalid_request` for a call of the fleet without a key, `idempotency_conflict` when the key is
 *   another request's, `conflict` while that request is being answered, `service_unavailable` when the records cannot
 *   be reached
 */
export async function claimIdempotency(deps: IdempotencyDeps, claiming: ClaimRequest): Promise<RequestClaim | null> {
  const { request, read, identity, fleet } = claiming
  const key = readIdempotencyKey(request.get('Idempotency-Key'))
  if (key === null && fleet !== null) throw keyMissing()
  if (key === null) return null
  const fingerprint = requestFingerprint({ method: request.method, path: request.path, ...read })
  const { workspaceId } = identity
  const question = { workspaceId, fingerprint, ...(fleet === null ? { key } : fleetKey(fleet, key)) }
  const outcome = await deps.idempotency.claim(question).catch(unavailable)
  if (outcome.kind === 'claimed') {
    const { billingId } = outcome.claim
    return { answered: false, billingId, completionHook: recordHook(deps, outcome.claim, claiming) }
  }
  if (outcome.kind === 'replay') return replayOf(deps, claiming, outcome)
  throw refusal(outcome)
}

/** A space, which no key has, keeps the fleet's keys out of the way of the workspace's own. */
function fleetKey({ purpose }: FleetCall, key: string) {
  return { key: `${purpose} ${key}`, keepMs: fleetKeepMs }
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

/** Keeps the answer before it is charged: whoever finds it charged finds the answer too. */
function recordHook({ idempotency }: IdempotencyDeps, claim: Claim, claiming: ClaimRequest): CompletionHook {
  const timer = setInterval(() => void idempotency.extend(claim).catch(() => undefined), extendEveryMs)
  return {
    async beforeCharge(answer) {
      clearInterval(timer)
      const outcome = await idempotency.keep(claim, recorded(answer, claiming)).catch(unavailable)
      if (outcome === 'lost') throw refusal({ kind: 'running' })
    },
    abandoned() {
      clearInterval(timer)
      void idempotency.abandon(claim)
    },
  }
}

function recorded(
  { bytes, served, costNano, latencyMs }: KeptAnswer,
  { fleet, headers: reported }: Pick<ClaimRequest, 'fleet' | 'headers'>,
): RecordedAnswer {
  const { dialect, model } = served
  const headers = {
    ...reported,
    ...(fleet === null ? {} : { [providerHeader]: model.provider }),
    ...(latencyMs === undefined ? {} : { [latencyMsHeader]: String(latencyMs) }),
  }
  return { status: 200, dialect, servedModel: model.id, headers, body: bytes, costNano }
}

function replayOf(
  deps: IdempotencyDeps,
  { response, identity, fleet }: ClaimRequest,
  { billingId, answer }: Extract<ClaimOutcome, { kind: 'replay' }>,
): AnsweredClaim {
  return {
    answered: true,
    billingId,
    async replay(surface, facts) {
      const { costNano } = answer
      const chargedNano = await charged(deps.ledger, { billingId, workspaceId: identity.workspaceId, costNano })
      const { headers } = deps.brand
      const reported = fleet === null ? {} : { [costNanoHeader]: String(chargedNano) }
      const replayed = replayAnswer(response, {
        surface,
        context: { facts, created: unixSeconds(deps.now()) },
        bytes: answer.body,
        chargedNano,
        headers: {
          ...answer.headers,
          ...reported,
          [headers.servedModel]: answer.servedModel,
          'Idempotent-Replay': 'true',
        },
        costHeader: headers.costUsd,
      })
      if (!replayed) throw new Error(`the answer billed as ${billingId} cannot be read`)
    },
  }
}

/**
 * What was charged for an answer. Whoever kept it may have died before it was; charging again changes nothing. What
 * cost nothing was never held.
 */
async function charged(ledger: Ledger, settle: Parameters<Ledger['settle']>[0]): Promise<bigint> {
  return settle.costNano === 0n ? 0n : (await ledger.settle(settle)).chargedNano
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof IdempotencyUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The records of idempotent requests do not answer.', {
    retryAfterSeconds: 1,
    cause,
  })
}
