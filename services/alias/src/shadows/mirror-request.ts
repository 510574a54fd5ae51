import type { Identity } from '@ratchet/contracts/identity'
import { planGateJudgements } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'
import { callModel, type ModelReply } from '@ratchet/judge-kit/fleet/call-model'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import { type AttemptEnd, type ItemWork, processItem } from '@ratchet/work-kit/leases/process-item'
import { gateItemOf, readEntry } from '../gate/gate-item.ts'
import type { GateJudge } from '../gate/gate-judge.ts'
import type { ShadowStore } from './pg-shadows.ts'
import type { LeasedShadow, ShadowOutcome } from './shadow.ts'
import { shadowRequest } from './shadow-request.ts'

export interface MirrorDeps {
  readonly shadows: ShadowStore
  readonly log: Pick<LogReader, 'entry'>
  readonly inference: Pick<FleetClient, 'send'>
  readonly judging: Pick<FleetClient, 'call'>
  /** Which parameters a model accepts. */
  readonly traitsOf: (identity: Identity, model: string) => Promise<ModelTraits>
  readonly judgeOf: (identity: Identity, criterionId: string) => Promise<GateJudge | null>
  readonly onEvent: (event: ShadowEvent) => void
}

export interface ShadowEvent {
  readonly kind: 'answered' | 'unanswered' | 'lost' | 'postponed' | 'retried' | 'dead_lettered'
  readonly shadowId: string
  readonly cause?: unknown
}

/**
 * Has the shadow model answer one request, if it is due, and orders a verdict on the answer. The call has an idempotency
 * key, so a repetition is not charged again. Only the judge gets the answer.
 *
 * @param due the id of a shadow request, or one that this process has just leased
 */
export async function mirrorRequest(deps: MirrorDeps, due: string | LeasedShadow): Promise<void> {
  const { shadows, onEvent } = deps
  const shadowId = typeof due === 'string' ? due : due.id
  const work: ItemWork<LeasedShadow, ShadowOutcome> = {
    items: shadows,
    process: (shadow) => mirror(deps, shadow),
    complete: shadows.complete,
    onEnd: (end) => onEvent(eventOf(shadowId, end)),
  }
  await processItem(work, due)
}

function eventOf(shadowId: string, end: AttemptEnd<ShadowOutcome>): ShadowEvent {
  if (end.kind !== 'completed') return { ...end, shadowId }
  return { kind: end.outcome.failure === null ? 'answered' : 'unanswered', shadowId }
}

async function mirror(deps: MirrorDeps, shadow: LeasedShadow): Promise<ShadowOutcome> {
  const identity = workerIdentity(shadow.workspaceId, shadow.createdBy)
  const entry = await readEntry(deps.log, identity, shadow.logId).catch(postpone)
  if (entry === null) return unanswered('gone')
  const body = shadowRequest(shadow.model, entry, await deps.traitsOf(identity, shadow.model).catch(postpone))
  const key = deterministicId('shadow-answer', shadow.id, body)
  const reply = await callModel(deps.inference, { identity: { ...identity, purpose: 'shadow' }, body, key }).catch(
    refusal,
  )
  if (typeof reply === 'string') return unanswered(reply)
  const { costNano, latencyMs } = reply
  const isJudged = await orderVerdict(deps, { shadow, identity, entry, reply }).catch(postpone)
  return { state: isJudged ? 'answered' : 'done', failure: null, costNano, latencyMs: latencyMs ?? 0 }
}

function unanswered(failure: NonNullable<ShadowOutcome['failure']>): ShadowOutcome {
  return { state: 'done', failure, costNano: 0n, latencyMs: null }
}

/** Delay before a retry while a service is unavailable, milliseconds. */
const unavailableDelayMs = 2_000
/** Statuses with which inference reports its own state, not that of a model. */
const unavailable: ReadonlySet<number> = new Set([0, 429, 503])

/** A temporary failure of another service does not count as a failure of the item. */
function postpone(error: unknown): never {
  if (!(error instanceof FleetCallError) || !error.mayPass) throw error
  throw new WorkPostponed(error.message, unavailableDelayMs)
}

/** Why there will be no answer. @throws when a retry may succeed */
function refusal(error: unknown): 'refused' | 'unpaid' {
  if (!(error instanceof FleetCallError)) throw error
  if (error.status === 402) return 'unpaid'
  if (unavailable.has(error.status) || error.code === 'conflict')
    throw new WorkPostponed(error.message, unavailableDelayMs)
  if (error.mayPass) throw error
  return 'refused'
}

interface Mirrored {
  readonly shadow: LeasedShadow
  readonly identity: Identity
  readonly entry: LogEntry
  readonly reply: ModelReply
}

/** @returns whether a verdict on the answer was ordered */
async function orderVerdict(deps: MirrorDeps, { shadow, identity, entry, reply }: Mirrored): Promise<boolean> {
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
