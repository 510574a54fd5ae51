import type { Identity } from '@ratchet/contracts/identity'
import { planGateJudgements } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'
import { askModel, type ModelReply } from '@ratchet/judge-kit/fleet/ask-model'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { setbackOf, underLease } from '@ratchet/service-kit/under-lease'
import type { GateJudge } from '../domain/gate/gate-judge.ts'
import type { LeasedShadow, ShadowOutcome, ShadowStore } from '../domain/shadow.ts'
import { shadowRequest } from '../domain/shadow-request.ts'

export interface MirrorDeps {
  readonly shadows: ShadowStore
  readonly log: Pick<LogReader, 'entry'>
  readonly inference: Pick<FleetClient, 'send'>
  readonly judging: Pick<FleetClient, 'call'>
  /** What a model takes. */
  readonly traitsOf: (identity: Identity, model: string) => Promise<ModelTraits>
  readonly judgeOf: (identity: Identity, criterionId: string) => Promise<GateJudge | null>
  readonly onEvent: (event: ShadowEvent) => void
}

export interface ShadowEvent {
  readonly kind: 'answered' | 'unanswered' | 'lost' | 'postponed' | 'retried' | 'poisoned'
  readonly shadowId: string
  readonly cause?: unknown
}

/**
 * Has a mirror answer one request, if it is still to be done, and the gate's judge look at the answer. The question has a
 * key of its own, so asking again, after whatever happened, is charged once. The answer goes to the judge alone.
 */
export async function mirrorRequest(deps: MirrorDeps, shadowId: string): Promise<void> {
  const { shadows, onEvent } = deps
  await underLease(shadows, shadowId, async (shadow) => {
    try {
      const outcome = await mirror(deps, shadow)
      const kept = await shadows.complete(shadow, outcome)
      onEvent({ kind: !kept ? 'lost' : outcome.failure === null ? 'answered' : 'unanswered', shadowId })
    } catch (cause) {
      const { kind, error, delayMs } = setbackOf(cause, shadow.failures)
      const countsAsFailure = kind !== 'postponed'
      await shadows.release(shadow, { error, delayMs, poisoned: kind === 'poisoned', countsAsFailure })
      onEvent({ kind, shadowId, cause })
    }
  })
}

async function mirror(deps: MirrorDeps, shadow: LeasedShadow): Promise<ShadowOutcome> {
  const identity = workerIdentity(shadow.workspaceId, shadow.createdBy)
  const entry = await deps.log.entry(identity, shadow.logId).catch(goneWithTheLog)
  if (entry === null) return unanswered('gone')
  const body = shadowRequest(shadow.model, entry, await deps.traitsOf(identity, shadow.model))
  const key = deterministicId('shadow-answer', shadow.id, body)
  const reply = await askModel(deps.inference, { identity: { ...identity, purpose: 'shadow' }, body, key }).catch(
    refused,
  )
  if (reply === null) return unanswered('refused')
  const { costNano, latencyMs } = reply
  const isJudged = await planVerdict(deps, { shadow, identity, entry, reply })
  return { state: isJudged ? 'answered' : 'done', failure: null, costNano, latencyMs: latencyMs ?? 0 }
}

function unanswered(failure: 'gone' | 'refused'): ShadowOutcome {
  return { state: 'done', failure, costNano: 0n, latencyMs: null }
}

function goneWithTheLog(error: unknown): null {
  if (error instanceof LoggingIsOff) return null
  throw error
}

/** What will never be answered is done; the rest is tried again. */
function refused(error: unknown): null {
  if (error instanceof FleetCallError && !error.mayPass && error.code !== 'conflict') return null
  throw error
}

interface Mirrored {
  readonly shadow: LeasedShadow
  readonly identity: Identity
  readonly entry: LogEntry
  readonly reply: ModelReply
}

/** @returns whether a judge will look at the answer */
async function planVerdict(deps: MirrorDeps, { shadow, identity, entry, reply }: Mirrored): Promise<boolean> {
  if (shadow.criterionId === null || reply.message === null) return false
  const judge = await deps.judgeOf(identity, shadow.criterionId)
  if (judge === null || judge.isRetired) return false
  const item = {
    log_id: entry.id,
    segment: entry.segment,
    tag: entry.tag,
    created_at: entry.created_at,
    expires_at: entry.expires_at,
    response: reply.message,
  }
  const body = {
    ...{ criterion_id: judge.criterionId, instrument: judge.instrument, source: 'shadow' as const },
    ...{ shadow_of: shadow.model, items: [item] },
  }
  await deps.judging.call(planGateJudgements, { body }, identity)
  return true
}
