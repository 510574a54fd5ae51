import type { AliasGate } from '@ratchet/contracts/alias-gate'
import type { AliasEventKind, GateState } from '@ratchet/contracts/aliases'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import type { AliasChange, AliasNotice, GateRecord, StoredAlias, StoredAliasEvent } from '../aliases/alias.ts'
import { changeAlias } from '../aliases/change-alias.ts'
import type { CountsByArm, ShadowCounts } from './arm-counts.ts'
import type { SegmentCounts } from './compare-segments.ts'
import { type GateDecision, isSrmReason } from './decide-gate.ts'
import type { GateJudge } from './gate-judge.ts'
import { lookOf, type StoredLook } from './gate-look.ts'
import { gateReply } from './gate-reply.ts'

/** One gate evaluation: what it read, and its decision. */
export interface GateEvaluation {
  /** The alias as it was read. */
  readonly alias: StoredAlias
  readonly judge: GateJudge | null
  readonly arms: CountsByArm
  readonly segments: readonly SegmentCounts[]
  readonly shadow: ShadowCounts | null
  readonly decision: GateDecision
  readonly at: Date
}

export interface ConclusionIds {
  readonly newId: () => string
  /** The id of a fact that is recorded once for each split, in the audit or as a webhook event. */
  readonly onceIdOf: (alias: StoredAlias, fact: string) => string
  readonly firstIdAt: (at: Date) => string
}

/** The gate record of an evaluation that does not change the split. */
export interface SavedEvaluation {
  readonly gate: GateRecord
  /** Null without a row of the audit. */
  readonly event: StoredAliasEvent | null
  readonly notice: AliasNotice | null
  readonly look: StoredLook
}

/** What an evaluation writes: a new split, or a new record about the current one. */
export type Conclusion =
  | { readonly kind: 'change'; readonly change: AliasChange }
  | { readonly kind: 'record'; readonly evaluation: SavedEvaluation }

/** States of which webhooks get an event, once for each split. */
const eventTypes: Readonly<Partial<Record<GateState, WebhookEventType>>> = {
  promote_ready: 'alias.gate.promote_ready',
  promoted: 'alias.gate.promoted',
  rollback_recommended: 'alias.gate.rollback_recommended',
  rolled_back: 'alias.gate.rolled_back',
  starved: 'alias.gate.starved',
  inconclusive: 'alias.gate.inconclusive',
  expired: 'alias.gate.expired',
}
/** States that are in the audit, besides the actions of gates. */
const auditKinds: Readonly<Partial<Record<GateState, AliasEventKind>>> = {
  starved: 'gate_starved',
  inconclusive: 'gate_ended',
  expired: 'gate_ended',
}
/** States with a `decided_at`. */
const decidedStates: ReadonlySet<GateState> = new Set([
  'promote_ready',
  'promoted',
  'rollback_recommended',
  'rolled_back',
  'inconclusive',
  'expired',
])

export function concludeEvaluation(evaluation: GateEvaluation, ids: ConclusionIds): Conclusion {
  const { alias, arms, segments, shadow, decision, at } = evaluation
  const gate = recordOf(evaluation)
  const reply = gateReply({ alias: { ...alias, gate }, arms, segments, shadow, at })
  if (decision.action === 'roll_back_families') {
    return { kind: 'change', change: familyRollbackOf(evaluation, ids, { gate, reply }) }
  }
  if (decision.action !== null) return { kind: 'change', change: actionOf(evaluation, ids, { gate, reply }) }
  const look = lookOf(alias, reply, at)
  if (isSameDecision(evaluation)) return { kind: 'record', evaluation: { gate, notice: null, event: null, look } }
  const notice = noticeOf(evaluation, ids, reply)
  return { kind: 'record', evaluation: { gate, notice, event: auditRow(evaluation, ids, reply), look } }
}

/** A gate may be `inconclusive` for one cause and then for another. */
function isSameDecision({ alias: { gate }, decision }: GateEvaluation): boolean {
  return decision.state === gate.state && (decision.cause === 'srm') === isSrmReason(gate.reason)
}

function recordOf(evaluation: GateEvaluation): GateRecord {
  const { alias, judge, decision, at } = evaluation
  const { state, reason } = decision
  const since = isSameDecision(evaluation) ? alias.gate.decidedAt : at
  return {
    state,
    reason,
    judge,
    evaluations: alias.gate.evaluations + 1,
    evaluatedAt: at,
    decidedAt: decidedStates.has(state) ? since : null,
    verdict: null,
  }
}

function actionOf(
  evaluation: GateEvaluation,
  ids: ConclusionIds,
  { gate, reply }: { readonly gate: GateRecord; readonly reply: AliasGate },
): AliasChange {
  const { alias: current, judge, decision, at } = evaluation
  const isPromotion = decision.action === 'promote'
  const change = changeAlias({
    current,
    settings: { ...current.settings, canary_percent: isPromotion ? 100 : 0 },
    judge,
    actor: { type: 'gate' },
    workspaceId: current.workspaceId,
    evidence: { gate: reply },
    reason: decision.reason,
    at,
    newId: ids.newId,
    firstIdAt: ids.firstIdAt,
  })
  if (change === null) throw new RangeError(`alias ${current.id} has no live split that its gate could end`)
  return {
    ...change,
    alias: { ...change.alias, gate: { ...gate, verdict: reply } },
    event: { ...change.event, kind: isPromotion ? 'gate_promote' : 'gate_rollback' },
    notice: noticeOf(evaluation, ids, reply),
    look: lookOf(current, reply, at),
  }
}

/** The split continues without these families, with its counts: their answers are left out of both arms alike. */
function familyRollbackOf(
  evaluation: GateEvaluation,
  ids: ConclusionIds,
  { gate, reply }: { readonly gate: GateRecord; readonly reply: AliasGate },
): AliasChange {
  const { alias: current, judge, decision, at } = evaluation
  const families = decision.families ?? []
  const { family_rules: rules, target_model: model } = current.settings
  const others = rules.filter(({ segment }) => !families.includes(segment))
  const change = changeAlias({
    current,
    settings: { ...current.settings, family_rules: [...others, ...families.map((segment) => ({ segment, model }))] },
    judge,
    actor: { type: 'gate' },
    workspaceId: current.workspaceId,
    evidence: { gate: reply },
    reason: decision.reason,
    at,
    newId: ids.newId,
    firstIdAt: ids.firstIdAt,
    continuesSplit: true,
  })
  if (change === null) throw new RangeError(`alias ${current.id} has no families that its gate could roll back`)
  const type = 'alias.gate.family_rolled_back'
  const data = { object: 'alias', name: current.settings.name, segments: families, gate: reply }
  return {
    ...change,
    alias: { ...change.alias, gate },
    event: { ...change.event, kind: 'gate_family_rollback' },
    notice: { id: ids.onceIdOf(current, `${type} ${families.join(' ')}`), type, data },
    look: lookOf(current, reply, at),
  }
}

function noticeOf({ alias, decision }: GateEvaluation, ids: ConclusionIds, reply: AliasGate): AliasNotice | null {
  const type = eventTypes[decision.state]
  if (type === undefined) return null
  const data = { object: 'alias', name: alias.settings.name, gate: reply }
  return { id: ids.onceIdOf(alias, `${type} ${decision.cause ?? ''}`), type, data }
}

function auditRow(
  { alias, decision, at }: GateEvaluation,
  ids: ConclusionIds,
  reply: AliasGate,
): StoredAliasEvent | null {
  const kind = auditKinds[decision.state]
  // The sizes of the arms may match the split again later, so nothing has ended.
  if (kind === undefined || decision.cause === 'srm') return null
  const { settings, workspaceId } = alias
  return {
    id: ids.onceIdOf(alias, kind),
    workspaceId,
    aliasId: alias.id,
    aliasName: settings.name,
    kind,
    actor: { type: 'gate' },
    before: settings,
    after: settings,
    evidence: { gate: reply },
    reason: decision.reason,
    createdAt: at,
  }
}
