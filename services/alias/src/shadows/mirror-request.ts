import type { Identity } from '@ratchet/contracts/identity'
import { planGateJudgements } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'
import { askModel, type ModelReply } from '@ratchet/judge-kit/fleet/ask-model'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { decideRetry, WorkPostponed, withLease } from '@ratchet/service-kit/with-lease'
import { gateItemOf } from '../gate/gate-item.ts'
import type { GateJudge } from '../gate/gate-judge.ts'
import { logEntry } from '../gate/log-entry.ts'
import type { LeasedShadow, ShadowOutcome, ShadowStore } from './shadow.ts'
import { shadowRequest } from './shadow-request.ts'

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
  await withLease(shadows, shadowId, async (shadow) => {
    try {
      const outcome = await mirror(deps, shadow)
      const kept = await shadows.complete(shadow, outcome)
      onEvent({ kind: !kept ? 'lost' : outcome.failure === null ? 'answered' : 'unanswered', shadowId })
    } catch (cause) {
      const { kind, error, delayMs } = decideRetry(cause, shadow.failures)
      const countsAsFailure = kind !== 'postponed'
      await shadows.release(shadow, { error, delayMs, poisoned: kind === 'poisoned', countsAsFailure })
      onEvent({ kind, shadowId, cause })
    }
  })
}

async function mirror(deps: MirrorDeps, shadow: LeasedShadow): Promise<ShadowOutcome> {
  const identity = workerIdentity(shadow.workspaceId, shadow.createdBy)
  const entry = await logEntry(deps.log, identity, shadow.logId).catch(waitFor)
  if (entry === null) return unanswered('gone')
  const body = shadowRequest(shadow.model, entry, await deps.traitsOf(identity, shadow.model).catch(waitFor))
  const key = deterministicId('shadow-answer', shadow.id, body)
  const reply = await askModel(deps.inference, { identity: { ...identity, purpose: 'shadow' }, body, key }).catch(
    refusal,
  )
  if (typeof reply === 'string') return unanswered(reply)
  const { costNano, latencyMs } = reply
  const isJudged = await planVerdict(deps, { shadow, identity, entry, reply }).catch(waitFor)
  return { state: isJudged ? 'answered' : 'done', failure: null, costNano, latencyMs: latencyMs ?? 0 }
}

function unanswered(failure: NonNullable<ShadowOutcome['failure']>): ShadowOutcome {
  return { state: 'done', failure, costNano: 0n, latencyMs: null }
}

/** How long a mirrored request waits for a service that is away, milliseconds. */
const awayDelayMs = 2_000
/** What inference says of itself rather than of a model. */
const away: ReadonlySet<number> = new Set([0, 429, 503])

/** What is no fault of the mirror's is no attempt of it. */
function waitFor(error: unknown): never {
  if (!(error instanceof FleetCallError) || !error.mayPass) throw error
  throw new WorkPostponed(error.message, awayDelayMs)
}

/** Why there will be no answer; what may be answered yet is tried again. */
function refusal(error: unknown): 'refused' | 'unpaid' {
  if (!(error instanceof FleetCallError)) throw error
  if (error.status === 402) return 'unpaid'
  if (away.has(error.status) || error.code === 'conflict') throw new WorkPostponed(error.message, awayDelayMs)
  if (error.mayPass) throw error
  return 'refused'
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
  const body = {
    criterion_id: judge.criterionId,
    instrument: judge.instrument,
    source: 'shadow' as const,
    shadow_of: shadow.model,
    items: [gateItemOf(entry, reply.message)],
  }
  await deps.judging.call(planGateJudgements, { body }, identity)
  return true
}
