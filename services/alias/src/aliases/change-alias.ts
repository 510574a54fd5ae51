import { isDeepStrictEqual } from 'node:util'
import type { AliasEventKind, AliasSettings } from '@ratchet/contracts/aliases'
import type { GateJudge } from '../gate/gate-judge.ts'
import {
  type Actor,
  type AliasChange,
  type AliasEventRow,
  type GateRecord,
  isGated,
  isMirrored,
  isSplit,
  mainModel,
  type StoredAlias,
} from './alias.ts'

export interface DesiredChange {
  /** As it was read; null where there is none. */
  readonly current: StoredAlias | null
  readonly settings: AliasSettings
  /** Of the gate, where there is one. */
  readonly judge: GateJudge | null
  readonly actor: Actor
  readonly workspaceId: string
  readonly evidence: AliasEventRow['evidence']
  readonly reason: string | null
  readonly at: Date
  /** For what is new: the alias, and the row of the audit. */
  readonly newId: () => string
  /** The lowest id that an exchange of a moment can have. */
  readonly firstIdAt: (at: Date) => string
}

/** What decides which requests fall to which arm, and what is said of their answers. */
const splitFields = ['target_model', 'canary_model', 'canary_percent', 'gate_criterion_id', 'sticky_by'] as const
/** Milliseconds after which every process routes as it is written: exchanges of before may be of the split before. */
export const configPropagationMs = 3_000

/** The change that makes an alias what is wanted; null when it is that already. */
export function changeAlias(requested: DesiredChange): AliasChange | null {
  const { current, settings, at } = requested
  if (current !== null && isDeepStrictEqual(current.settings, settings)) return null
  const resets = current === null || changesSplit(current.settings, settings)
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
  const event = eventOf(requested, alias, kindOf(current?.settings ?? null, settings))
  const replaces = current === null ? null : { version: current.version, epoch: current.epoch.number }
  const keepsEvaluation = current !== null && !resets && isGated(settings)
  return { alias, replaces, event, resets, keepsEvaluation, notice: null }
}

function newAlias({ newId, workspaceId, actor, at }: DesiredChange) {
  const createdBy = actor.type === 'user' ? actor.userId : workspaceId
  return { id: newId(), workspaceId, cursorLogId: null, createdBy, createdAt: at }
}

function changesSplit(before: AliasSettings, after: AliasSettings): boolean {
  if (splitFields.some((field) => before[field] !== after[field])) return true
  // The window of a gate begins with the gate.
  return before.gate_mode === null && after.gate_mode !== null
}

/** A gated split that a person ends is as over as one that its gate ended; so is a promotion that a person takes back. */
function gateAfter({ current, settings, judge, at }: DesiredChange, resets: boolean): GateRecord {
  // Which instrument its verdicts are of, the gate finds out for itself.
  if (current !== null && !resets && isGated(settings)) return { ...current.gate, judge: current.gate.judge ?? judge }
  const fresh: GateRecord = { ...noGate, judge }
  if (isGated(settings)) return { ...fresh, state: 'collecting' }
  if (current === null || settings.gate_mode === null) return fresh
  if (!resets) return current.gate
  const { canary_model: canary } = settings
  const wasGated = isGated(current.settings) || current.gate.state === 'promoted'
  if (!wasGated || canary === null || canary !== current.settings.canary_model) return fresh
  const state = mainModel(settings) === canary ? 'promoted' : 'rolled_back'
  return { ...fresh, state, reason: 'Ended by hand.', decidedAt: at }
}

/** Before anything was seen. */
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
  if (before === null || before.target_model !== after.target_model) return 'repoint'
  const { description: _before, require_evidence: _policyBefore, ...old } = before
  const { description: _after, require_evidence: _policyAfter, ...now } = after
  return isDeepStrictEqual(old, now) ? 'update' : 'canary_set'
}

function eventOf(requested: DesiredChange, alias: StoredAlias, kind: AliasEventKind): AliasEventRow {
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

/** All requests to the target. What is no split stays what it is. */
export function rolledBack(settings: AliasSettings): AliasSettings {
  return isSplit(settings) || settings.canary_percent === 100 ? { ...settings, canary_percent: 0 } : settings
}
