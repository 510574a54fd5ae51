import type { AliasGate } from '@ratchet/contracts/alias-gate'
import type { AliasEventKind, AliasSettings, GateGuard, GateState } from '@ratchet/contracts/aliases'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { GateJudge } from '../gate/gate-judge.ts'
import type { AliasEventRow, StoredAlias } from './alias.ts'

export interface AliasRow {
  readonly id: string
  readonly workspace_id: string
  readonly name: string
  readonly description: string | null
  readonly target_model: string
  readonly canary_model: string | null
  readonly canary_percent: number
  readonly gate_criterion_id: string | null
  readonly gate_mode: AliasSettings['gate_mode']
  readonly gate_min_samples_per_arm: number
  readonly gate_rollback_threshold: number
  readonly gate_window_hours: number
  readonly gate_confidence: number
  readonly gate_guard: string | null
  readonly sticky_by: AliasSettings['sticky_by']
  readonly shadow_model: string | null
  readonly shadow_percent: number
  readonly require_evidence: boolean | null
  readonly gate_state: GateState | null
  readonly gate_judge: string | null
  readonly gate_looks: number
  readonly gate_looked_at: Date | null
  readonly gate_decided_at: Date | null
  readonly gate_reason: string | null
  readonly gate_verdict: string | null
  readonly epoch: number
  readonly epoch_started_at: Date
  readonly cursor_log_id: string | null
  readonly version: number
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly updated_by: string
}

export function aliasOf(row: AliasRow): StoredAlias {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    settings: settingsOf(row),
    gate: {
      state: row.gate_state,
      reason: row.gate_reason,
      judge: parsed<GateJudge>(row.gate_judge),
      evaluations: row.gate_looks,
      evaluatedAt: row.gate_looked_at,
      decidedAt: row.gate_decided_at,
      verdict: parsed<AliasGate>(row.gate_verdict),
    },
    epoch: { number: row.epoch, startedAt: row.epoch_started_at },
    cursorLogId: row.cursor_log_id,
    version: row.version,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  }
}

function settingsOf(row: AliasRow): AliasSettings {
  return {
    name: row.name,
    target_model: row.target_model,
    description: row.description,
    canary_model: row.canary_model,
    canary_percent: row.canary_percent,
    gate_criterion_id: row.gate_criterion_id === null ? null : publicId('criterion', row.gate_criterion_id),
    gate_mode: row.gate_mode,
    gate_min_samples_per_arm: row.gate_min_samples_per_arm,
    gate_rollback_threshold: row.gate_rollback_threshold,
    gate_window_hours: row.gate_window_hours,
    gate_confidence: row.gate_confidence,
    gate_guard: parsed<GateGuard>(row.gate_guard),
    sticky_by: row.sticky_by,
    shadow_model: row.shadow_model,
    shadow_percent: row.shadow_percent,
    require_evidence: row.require_evidence,
  }
}

/** The columns that a change of an alias writes, as `json_populate_record` takes them. */
export function aliasRow({ settings, gate, epoch, ...alias }: StoredAlias) {
  const { gate_criterion_id: criterionId, gate_guard: guard, ...plain } = settings
  return {
    ...plain,
    id: alias.id,
    workspace_id: alias.workspaceId,
    gate_criterion_id: criterionId === null ? null : uuidOf('criterion', criterionId),
    gate_guard: textOf(guard),
    ...gateColumns(gate),
    epoch: epoch.number,
    epoch_started_at: epoch.startedAt,
    cursor_log_id: alias.cursorLogId,
    version: alias.version,
    created_by: alias.createdBy,
    created_at: alias.createdAt,
    updated_at: alias.updatedAt,
    updated_by: alias.updatedBy,
  }
}

export function gateColumns(gate: StoredAlias['gate']) {
  return {
    gate_state: gate.state,
    gate_judge: textOf(gate.judge),
    gate_looks: gate.evaluations,
    gate_looked_at: gate.evaluatedAt,
    gate_decided_at: gate.decidedAt,
    gate_reason: gate.reason,
    gate_verdict: textOf(gate.verdict),
  }
}

export interface EventRow {
  readonly id: string
  readonly workspace_id: string
  readonly alias_id: string
  readonly alias_name: string
  readonly kind: AliasEventKind
  readonly user_id: string | null
  readonly key_id: string | null
  readonly request_id: string | null
  readonly before: string | null
  readonly after: string | null
  readonly evidence: string | null
  readonly reason: string | null
  readonly created_at: Date
}

export function eventOf(row: EventRow): AliasEventRow {
  const { user_id: userId, key_id: keyId, request_id: requestId } = row
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    aliasId: row.alias_id,
    aliasName: row.alias_name,
    kind: row.kind,
    actor:
      userId === null ? { type: 'gate' } : { type: 'user', userId, keyId: keyId ?? '', requestId: requestId ?? '' },
    before: parsed<AliasSettings>(row.before),
    after: parsed<AliasSettings>(row.after),
    evidence: parsed<Readonly<Record<string, unknown>>>(row.evidence),
    reason: row.reason,
    createdAt: row.created_at,
  }
}

/** In the order of {@link insertEventStatement}. */
export function eventValues(event: AliasEventRow): readonly unknown[] {
  const { actor } = event
  const isUser = actor.type === 'user'
  return [
    event.id,
    event.workspaceId,
    event.aliasId,
    event.aliasName,
    event.kind,
    isUser ? actor.userId : null,
    isUser ? actor.keyId : null,
    isUser ? actor.requestId : null,
    textOf(event.before),
    textOf(event.after),
    textOf(event.evidence),
    event.reason,
    event.createdAt,
  ]
}

export const insertEventStatement = `
  INSERT INTO alias_event (id, workspace_id, alias_id, alias_name, kind, user_id, key_id, request_id, before, after,
    evidence, reason, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT (id) DO NOTHING`

function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
