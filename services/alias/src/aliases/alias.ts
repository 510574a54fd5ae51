import type { AliasGate } from '@ratchet/contracts/alias-gate'
import type { Alias, AliasEvent, AliasEventKind, AliasSettings, GateState } from '@ratchet/contracts/aliases'
import { publicId } from '@ratchet/contracts/public-id'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import type { GateJudge } from '../gate/gate-judge.ts'
import type { StoredLook } from '../gate/gate-look.ts'

/** An alias as it is stored. */
export interface StoredAlias {
  readonly id: string
  readonly workspaceId: string
  readonly settings: AliasSettings
  readonly gate: GateRecord
  readonly epoch: Epoch
  /** UUID of the last exchange that was searched for samples; null before the first search. */
  readonly cursorLogId: string | null
  readonly version: number
  /** UUID of a user. */
  readonly createdBy: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** UUID of a user, or `gate`. */
  readonly updatedBy: string
}

/** The time in which one split was in force. Counts of two epochs are never added. */
export interface Epoch {
  /** From 1. */
  readonly number: number
  readonly startedAt: Date
}

/** The result of the last gate evaluation. */
export interface GateRecord {
  /** Null when no gate watches the split and none ended it. */
  readonly state: GateState | null
  readonly reason: string | null
  /** The judge at the last evaluation. */
  readonly judge: GateJudge | null
  /** Number of evaluations in this epoch. */
  readonly evaluations: number
  readonly evaluatedAt: Date | null
  readonly decidedAt: Date | null
  /** The reply about the gate when the split ended. */
  readonly verdict: AliasGate | null
}

/** Who changed an alias. */
export type Actor =
  | { readonly type: 'user'; readonly userId: string; readonly keyId: string | null; readonly requestId: string }
  | { readonly type: 'gate' }

/** A row of the audit. */
export interface StoredAliasEvent {
  readonly id: string
  readonly workspaceId: string
  readonly aliasId: string
  readonly aliasName: string
  readonly kind: AliasEventKind
  readonly actor: Actor
  readonly before: AliasSettings | null
  readonly after: AliasSettings | null
  readonly evidence: Readonly<Record<string, unknown>> | null
  readonly reason: string | null
  readonly createdAt: Date
}

/** A webhook event about an alias. */
export interface AliasNotice {
  /** UUID. A second event with the same id is ignored. */
  readonly id: string
  readonly type: WebhookEventType
  readonly data: Readonly<Record<string, unknown>>
}

/** A new state of an alias, to be saved. */
export interface AliasChange {
  readonly alias: StoredAlias
  /** The state that it replaces; null for a new alias. */
  readonly replaces: AliasRevision | null
  readonly event: StoredAliasEvent
  /** Whether a new epoch starts, and counts start at zero. */
  readonly resets: boolean
  /**
   * What stays as it is stored, because an evaluation may have saved a newer one than was read: the cursor, or also the gate
   * record.
   */
  readonly keeps: 'nothing' | 'cursor' | 'evaluation'
  readonly notice: AliasNotice | null
  /** The evaluation of the gate that made the change; null when a person made it. */
  readonly look: StoredLook | null
}

/** Identifies one state of an alias. */
export interface AliasRevision {
  readonly version: number
  /** Number of the epoch. A gate may start a new one without a change of settings. */
  readonly epoch: number
}

/** The model that most requests are meant for: the target, or a canary of 100 %. */
export function mainModel({ target_model, canary_model, canary_percent }: AliasSettings): string {
  return canary_percent === 100 && canary_model !== null ? canary_model : target_model
}

/** Whether requests are split between two models. */
export function isSplit({
  canary_model,
  canary_percent,
}: Pick<AliasSettings, 'canary_model' | 'canary_percent'>): boolean {
  return canary_model !== null && canary_percent > 0 && canary_percent < 100
}

/**
 * Segments whose requests a rule takes out of the split. Those with samples in the present epoch were rolled back by its
 * gate, because a change of rules by a user starts a new epoch.
 */
export function rolledBackFamilies({ family_rules: rules }: Pick<AliasSettings, 'family_rules'>): string[] {
  return rules.flatMap(({ segment, model }) => (model === null ? [] : [segment]))
}

/** Whether a gate watches a live split. */
export function isGated(
  settings: Pick<AliasSettings, 'gate_mode' | 'gate_criterion_id' | 'canary_model' | 'canary_percent'>,
): boolean {
  return settings.gate_mode !== null && settings.gate_criterion_id !== null && isSplit(settings)
}

/** Whether a shadow model answers a share of the requests too. */
export function isMirrored({
  shadow_model,
  shadow_percent,
}: Pick<AliasSettings, 'shadow_model' | 'shadow_percent'>): boolean {
  return shadow_model !== null && shadow_percent > 0
}

export function aliasReply({ settings, gate, version, createdAt, updatedAt, updatedBy }: StoredAlias): Alias {
  return {
    object: 'alias',
    ...settings,
    gate_state: gate.state,
    gate_plan: null,
    gate_plan_missing: null,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    updated_by: updatedBy,
    version,
  }
}

/** @param names of the members of the workspace, by user id */
export function eventReply(event: StoredAliasEvent, names: ReadonlyMap<string, string>): AliasEvent {
  const { actor } = event
  const isUser = actor.type === 'user'
  return {
    object: 'alias.event',
    id: publicId('aliasEvent', event.id),
    alias: event.aliasName,
    kind: event.kind,
    actor: {
      type: actor.type,
      user_id: isUser ? actor.userId : null,
      name: isUser ? (names.get(actor.userId) ?? null) : null,
      key_id: isUser ? actor.keyId : null,
    },
    before: event.before,
    after: event.after,
    evidence: event.evidence === null ? null : { ...event.evidence },
    reason: event.reason,
    request_id: isUser ? actor.requestId : null,
    created_at: event.createdAt.toISOString(),
  }
}
