import type { AliasGate } from '@ratchet/contracts/alias-gate'
import type { AliasSettings, GateGuard } from '@ratchet/contracts/aliases'
import type { FamilyRule } from '@ratchet/contracts/family-rules'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { WorkspaceClients } from '@ratchet/db/workspace-clients'
import type { GateJudge } from '../gate/gate-judge.ts'
import type { StoredAlias } from './alias.ts'

export interface AliasDatabase {
  /** With the rights of `ratchet_alias`. */
  readonly pool: Pool
  readonly clients: WorkspaceClients
}

export type AliasRow = Row<'alias', { gate_mode: AliasSettings['gate_mode'] }>

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
    family_rules: parsed<FamilyRule[]>(row.family_rules) ?? [],
  }
}

/** The columns that a change writes, as input of `json_populate_record`. */
export function aliasRow({ settings, gate, epoch, ...alias }: StoredAlias) {
  const { gate_criterion_id: criterionId, gate_guard: guard, family_rules: rules, ...plain } = settings
  return {
    ...plain,
    id: alias.id,
    workspace_id: alias.workspaceId,
    gate_criterion_id: criterionId === null ? null : uuidOf('criterion', criterionId),
    gate_guard: jsonOf(guard),
    family_rules: rules.length === 0 ? null : jsonOf(rules),
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
    gate_judge: jsonOf(gate.judge),
    gate_looks: gate.evaluations,
    gate_looked_at: gate.evaluatedAt,
    gate_decided_at: gate.decidedAt,
    gate_reason: gate.reason,
    gate_verdict: jsonOf(gate.verdict),
  }
}

/** @throws SyntaxError for text that is not JSON */
export function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}

export function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
