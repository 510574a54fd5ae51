import type { AliasGate } from '@ratchet/contracts/alias-gate'
import type { AliasEventKind, AliasSettings, GateState } from '@ratchet/contracts/aliases'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import type { GateJudge } from '../gate/gate-judge.ts'

/** An alias as it is stored. */
export interface StoredAlias {
  readonly id: string
  readonly workspaceId: string
  readonly settings: AliasSettings
  readonly gate: GateRecord
  readonly epoch: Epoch
  /** UUID of the exchange behind which the log is still to be looked at; null before the first look. */
  readonly cursorLogId: string | null
  readonly version: number
  readonly createdBy: string
  readonly createdAt: Date
  readonly updatedAt: Date
  /** A user's id, or `gate`. */
  readonly updatedBy: string
}

/** A time in which the split was the same: what was counted in one is never added to another. */
export interface Epoch {
  /** From 1. */
  readonly number: number
  readonly startedAt: Date
}

/** What the gate found at its last look. */
export interface GateRecord {
  /** Null where no gate watches, and none ended the split. */
  readonly state: GateState | null
  readonly reason: string | null
  /** As it was at the last look. */
  readonly judge: GateJudge | null
  readonly evaluations: number
  readonly evaluatedAt: Date | null
  readonly decidedAt: Date | null
  /** What it had found when the split ended. */
  readonly verdict: AliasGate | null
}

/** Who changes an alias. */
export type Actor =
  | { readonly type: 'user'; readonly userId: string; readonly keyId: string; readonly requestId: string }
  | { readonly type: 'gate' }

/** A row of the audit. */
export interface AliasEventRow {
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

/** Something that webhooks are told of. */
export interface AliasNotice {
  /** UUID; what is told twice under one is told once. */
  readonly id: string
  readonly type: WebhookEventType
  readonly data: Readonly<Record<string, unknown>>
}

/** An alias that is to take the place of one that was read. */
export interface AliasChange {
  readonly alias: StoredAlias
  /** Whose place it takes; null for a new one. */
  readonly replaces: AliasRevision | null
  readonly event: AliasEventRow
  /** Whether counts begin anew. */
  readonly resets: boolean
  /** Whether the gate goes on: what it found, and up to where it looked, may be newer than what was read. */
  readonly keepsEvaluation: boolean
  readonly notice: AliasNotice | null
}

/** One state of an alias: its settings, and the split that is counted. */
export interface AliasRevision {
  readonly version: number
  /** Number of the epoch, which a gate may begin anew without a change of settings. */
  readonly epoch: number
}

export interface AliasKey {
  readonly workspaceId: string
  readonly name: string
}

export interface AliasStore {
  get(key: AliasKey): Promise<StoredAlias | null>
  list(filter: { readonly workspaceId: string; readonly limit: number; readonly offset: number }): Promise<{
    readonly total: number
    readonly aliases: readonly StoredAlias[]
  }>
  count(workspaceId: string): Promise<number>
  /** With its audit row, in one transaction. False when another change came first. */
  save(change: AliasChange): Promise<boolean>
  /** False when it was changed, or deleted, since. */
  delete(alias: Pick<StoredAlias, 'id' | 'version'>, event: AliasEventRow): Promise<boolean>
  /** Names of aliases whose gate relies on a judge, at most ten. */
  namesOfCriterion(workspaceId: string, criterionId: string): Promise<readonly string[]>
}

export interface AliasEvents {
  list(filter: AliasKey & { readonly limit: number; readonly offset: number }): Promise<{
    readonly total: number
    readonly events: readonly AliasEventRow[]
  }>
  /** The oldest first: settings as they were at some time since, each with the time from which they were in force. */
  history(aliasId: string, since: Date): Promise<readonly { readonly settings: AliasSettings; readonly from: Date }[]>
}

/** The model that most requests are meant for: the target, or the canary once it is cut over to. */
export function mainModel({ target_model, canary_model, canary_percent }: AliasSettings): string {
  return canary_percent === 100 && canary_model !== null ? canary_model : target_model
}

/** Whether requests are split between two models. */
export function isSplit({ canary_model, canary_percent }: AliasSettings): boolean {
  return canary_model !== null && canary_percent > 0 && canary_percent < 100
}

/** Whether a gate watches a live split. */
export function isGated(settings: AliasSettings): boolean {
  return settings.gate_mode !== null && settings.gate_criterion_id !== null && isSplit(settings)
}

/** Whether a share of the requests is answered by a mirror as well. */
export function isMirrored({ shadow_model, shadow_percent }: AliasSettings): boolean {
  return shadow_model !== null && shadow_percent > 0
}
