import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { LeasedItem } from '@ratchet/work-kit/leases/leased-item'

/** A logged request that a shadow model answers too, leased by this process. */
export interface LeasedShadow extends LeasedItem {
  readonly workspaceId: string
  readonly logId: string
  readonly model: string
  /** UUID of the user who created the alias. */
  readonly createdBy: string
  readonly criterionId: AliasSettings['gate_criterion_id']
}

export interface ShadowOutcome {
  /** `answered`: there is an answer without a verdict yet. */
  readonly state: 'answered' | 'done'
  /** Why there is no answer; null with an answer. `gone`: the exchange was deleted. `unpaid`: the wallet was empty. */
  readonly failure: 'gone' | 'refused' | 'unpaid' | null
  readonly costNano: bigint
  /** Milliseconds; null without an answer. */
  readonly latencyMs: number | null
}

export interface ShadowKey {
  readonly aliasId: string
  readonly model: string
}

export interface ShadowVerdict {
  readonly logId: string
  readonly verdict: 'pass' | 'fail' | null
  readonly failure: string | null
}
