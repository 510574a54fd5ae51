import { isDeepStrictEqual } from 'node:util'
import type { AliasEventKind, AliasSettings } from '@ratchet/contracts/aliases'
import type { GateJudge } from '../gate/gate-judge.ts'
import {
  type Actor,
  type AliasChange,
  type GateRecord,
  isGated,
  isMirrored,
  isSplit,
  mainModel,
  type StoredAlias,
  type StoredAliasEvent,
} from './alias.ts'

export interface DesiredChange {
  /** The alias as it was read; null when it does not exist. */
  readonly current: StoredAlias | null
  readonly settings: AliasSettings
  /** The judge of the gate; null without one. */
  readonly judge: GateJudge | null
  readonly actor: Actor
  readonly workspaceId: string
  readonly evidence: StoredAliasEvent['evidence']
  readonly reason: string | null
  readonly at: Date
  /** Makes the ids of a new alias and of the row of the audit. */
  readonly newId: () => string
  /** The lowest id that an exchange of a moment can have. */
  readonly firstIdAt: (at: Date) => string
  /** A person takes the canary back, whatever fields that changes. */
  readonly isRollback?: boolean
  /** A gate takes families out of the split, and continues with the counts of the others. */
  readonly continuesSplit?: boolean
}

/** Fields that decide which arm a request gets, and how its answer is judged. A change of one starts a new epoch. */
const splitFields = ['target_model', 'canary_model', 'canary_percent', 'gate_criterion_id', 'sticky_by'] as const
/** Fields by which a gate decides. What it has counted stays when they change, but not what it recommends. */
const ruleFields = [
  'gate_rollback_threshold',
  'gate_confidence',
  'gate_min_samples_per_arm',
  'gate_window_hours',
  'gate_guard',
] as const
/** Time after which every process of inference routes by a change, milliseconds. Earlier exchanges may be of the old split. */
export const configPropagationMs = 3_000

/** The change that gives an alias these settings; null when it has them already. */
export function changeAlias(requested: DesiredChange): AliasChange | null {
  const { current, settings, at } = requested
  if (current !== null && isDeepStrictEqual(current.settings, settings)) return null
  const continues = requested.continuesSplit === true
  const resets = current === null || (!continues && changesSplit(current.settings, settings))
  const isWatched = isGated(settings) || isMirrored(settings)
  const wasWatched = current !== null && (isGated(current.settings) || isMirrored(current.settings))
  const begins = isWatched && (resets || !wasWatched)
  const alias: StoredAlias = {
    ...(current ?? newAlias(requested)),
    settings,
    gate: gateAfter(requested, resets),
    epoch: resets ? { number: (current?.epoch.number ?? 0) + 1, startedAt: at } : current.epoch,
    ...(begins ? { cursorLogId: requested.firstIdAt(new Date(at.getTime() + configPropagationMs)) } : {}),
    version: (current?.version ?? 0) + 1,
    updatedAt: at,
    updatedBy: requested.actor.type === 'gate' ? 'gate' : requested.actor.userId,
  }
  const kind = requested.isRollback === true ? 'rollback' : kindOf(current?.settings ?? null, settings)
  const event = eventOf(requested, alias, kind)
  const replaces = current === null ? null : { version: current.version, epoch: current.epoch.number }
  const keepsCursor = continues || (current !== null && !resets && isGated(settings))
  const keepsEvaluation = keepsCursor && !continues && !changesRules(current, settings)
  const keeps = keepsEvaluation ? 'evaluation' : keepsCursor ? 'cursor' : 'nothing'
  return { alias, replaces, event, resets, keeps, notice: null, look: null }
}

/** @throws RangeError for a gate, because `createdBy` is the user for whom workers act */
function newAlias({ newId, workspaceId, actor, at }: DesiredChange) {
  if (actor.type !== 'user') throw new RangeError('only a user can create an alias')
  return { id: newId(), workspaceId, cursorLogId: null, createdBy: actor.userId, createdAt: at }
}

function changesSplit(before: AliasSettings, after: AliasSettings): boolean {
  if (splitFields.some((field) => before[field] !== after[field])) return true
  if (!isDeepStrictEqual(before.family_rules, after.family_rules)) return true
  // The window of a gate starts when the gate is set.
  return before.gate_mode === null && after.gate_mode !== null
}

/** What a gate recommended by other rules is taken back, also when an evaluation recommended it a moment ago. */
function changesRules(current: StoredAlias | null, after: AliasSettings): boolean {
  return ruleFields.some((field) => !isDeepStrictEqual(current?.settings[field], after[field]))
}

/** A user who ends a gated split, or takes a promotion back, leaves the same states as a gate that does so. */
function gateAfter({ current, settings, judge, at }: DesiredChange, resets: boolean): GateRecord {
  // The stored judge names the instrument of the counted verdicts. Only an evaluation may replace it.
  if (current !== null && !resets && isGated(settings)) {
    const recommends = current.gate.state === 'promote_ready' || current.gate.state === 'rollback_recommended'
    const known = { ...current.gate, judge: current.gate.judge ?? judge }
    return recommends && changesRules(current, settings)
      ? { ...known, state: 'collecting', reason: null, decidedAt: null }
      : known
  }
  const fresh: GateRecord = { ...noGate, judge }
  if (isGated(settings)) return { ...fresh, state: 'collecting' }
  if (current === null || settings.gate_mode === null) return fresh
  if (!resets) return current.gate
  const { canary_model: canary } = settings
  const wasGated = isGated(current.settings) || current.gate.state === 'promoted'
  if (!wasGated || canary === null || canary !== current.settings.canary_model) return fresh
  const state = mainModel(settings) === canary ? 'promoted' : 'rolled_back'
  return { ...fresh, state, reason: 'Ended by a user.', decidedAt: at }
}

/** The record before the first evaluation. */
export const noGate: GateRecord = {
  state: null,
  reason: null,
  judge: null,
  evaluations: 0,
  evaluatedAt: null,
  decidedAt: null,
  verdict: null,
}

function kindOf(before: AliasSettings | null, after: AliasSettings): AliasEventKind {
  if (before === null) return 'created'
  if (before.target_model !== after.target_model) return 'repoint'
  const { description: _before, require_evidence: _policyBefore, ...old } = before
  const { description: _after, require_evidence: _policyAfter, ...now } = after
  return isDeepStrictEqual(old, now) ? 'update' : 'canary_set'
}

function eventOf(requested: DesiredChange, alias: StoredAlias, kind: AliasEventKind): StoredAliasEvent {
  const { current, actor, evidence, reason, at, newId } = requested
  return {
    id: newId(),
    workspaceId: alias.workspaceId,
    aliasId: alias.id,
    aliasName: alias.settings.name,
    kind,
    actor,
    before: current?.settings ?? null,
    after: alias.settings,
    evidence,
    reason,
    createdAt: at,
  }
}

/** The settings that send all requests to the target. Settings without a live canary stay the same. */
export function rolledBack(settings: AliasSettings): AliasSettings {
  return isSplit(settings) || settings.canary_percent === 100 ? { ...settings, canary_percent: 0 } : settings
}
