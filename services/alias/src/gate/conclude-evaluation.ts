import type { AliasEventKind, GateState } from '@ratchet/contracts/aliases'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import type { AliasChange, AliasEventRow, AliasNotice, GateRecord, StoredAlias } from '../aliases/alias.ts'
import { changeAlias } from '../aliases/change-alias.ts'
import type { CountsByArm } from './arm-counts.ts'
import type { SavedEvaluation } from './canary-store.ts'
import type { GateDecision } from './decide-gate.ts'
import type { GateJudge } from './gate-judge.ts'
import { decidedReply } from './gate-reply.ts'
import type { ShadowCounts } from './shadow-counts.ts'

export interface LookQuestion {
  readonly alias: StoredAlias
  readonly judge: GateJudge | null
  readonly arms: CountsByArm
  readonly shadow: ShadowCounts | null
  readonly decision: GateDecision
  readonly at: Date
  readonly newId: () => string
  /** The id of what is said of a split once, in the audit or to webhooks. */
  readonly onceIdOf: (alias: StoredAlias, said: string) => string
  readonly firstIdAt: (at: Date) => string
}

/** What becomes of a look: another split, or another word on the one there is. */
export type Conclusion =
  | { readonly kind: 'change'; readonly change: AliasChange }
  | { readonly kind: 'look'; readonly evaluation: SavedEvaluation }

/** States that somebody is told of, once for each split. */
const reported: Readonly<Partial<Record<GateState, WebhookEventType>>> = {
  promote_ready: 'alias.gate.promote_ready',
  promoted: 'alias.gate.promoted',
  rollback_recommended: 'alias.gate.rollback_recommended',
  rolled_back: 'alias.gate.rolled_back',
  starved: 'alias.gate.starved',
  inconclusive: 'alias.gate.inconclusive',
  expired: 'alias.gate.expired',
}
/** States that the audit knows of beside what the gate does. */
const audited: Readonly<Partial<Record<GateState, AliasEventKind>>> = {
  starved: 'gate_starved',
  inconclusive: 'gate_ended',
  expired: 'gate_ended',
}
/** States in which something was found. */
const decided: ReadonlySet<GateState> = new Set([
  'promote_ready',
  'promoted',
  'rollback_recommended',
  'rolled_back',
  'inconclusive',
  'expired',
])

export function concludeEvaluation(question: LookQuestion): Conclusion {
  const { alias, judge, decision, at } = question
  const { state, reason } = decision
  const isNew = state !== alias.gate.state
  const gate: GateRecord = {
    state,
    reason,
    judge,
    evaluations: alias.gate.evaluations + 1,
    evaluatedAt: at,
    decidedAt: !decided.has(state) ? null : isNew ? at : alias.gate.decidedAt,
    verdict: null,
  }
  const seen = { ...alias, gate }
  if (decision.act !== null) return { kind: 'change', change: acted({ ...question, alias: seen }, alias) }
  const evidence = evidenceOf({ ...question, alias: seen })
  const notice = isNew ? noticeOf(question, evidence) : null
  return { kind: 'look', evaluation: { gate, notice, event: isNew ? auditRow(question, evidence) : null } }
}

/** The gate as it was when it decided, for the audit and for whoever is told. */
function evidenceOf({ alias, arms, shadow, decision }: LookQuestion): Readonly<Record<string, unknown>> {
  return { gate: decidedReply({ alias, arms, shadow }, decision) }
}

/** @param question of the alias with what this look found @param current the alias as it was read */
function acted(question: LookQuestion, current: StoredAlias): AliasChange {
  const { arms, shadow, alias, decision, judge, at, newId, firstIdAt } = question
  const percent = decision.act === 'promote' ? 100 : 0
  const evidence = evidenceOf(question)
  const change = changeAlias({
    current,
    settings: { ...current.settings, canary_percent: percent },
    judge,
    actor: { type: 'gate' },
    workspaceId: current.workspaceId,
    evidence,
    reason: decision.reason,
    at,
    newId,
    firstIdAt,
  })
  if (change === null) throw new RangeError(`the gate of ${current.id} acts on what is no split`)
  const verdict = decidedReply({ alias, arms, shadow }, decision)
  return {
    ...change,
    alias: { ...change.alias, gate: { ...alias.gate, verdict } },
    event: { ...change.event, kind: decision.act === 'promote' ? 'gate_promote' : 'gate_rollback' },
    notice: noticeOf(question, evidence),
  }
}

function noticeOf({ alias, decision, onceIdOf }: LookQuestion, evidence: AliasNotice['data']): AliasNotice | null {
  const type = reported[decision.state]
  if (type === undefined) return null
  const data = { object: 'alias', name: alias.settings.name, ...evidence }
  return { id: onceIdOf(alias, `${type} ${decision.cause ?? ''}`), type, data }
}

function auditRow(
  { alias, decision, at, onceIdOf }: LookQuestion,
  evidence: AliasEventRow['evidence'],
): AliasEventRow | null {
  const kind = audited[decision.state]
  // Arms that are uneven now may be even later: nothing has ended.
  if (kind === undefined || decision.cause === 'srm') return null
  const { settings, workspaceId } = alias
  return {
    id: onceIdOf(alias, kind),
    workspaceId,
    aliasId: alias.id,
    aliasName: settings.name,
    kind,
    actor: { type: 'gate' },
    before: settings,
    after: settings,
    evidence,
    reason: decision.reason,
    createdAt: at,
  }
}
