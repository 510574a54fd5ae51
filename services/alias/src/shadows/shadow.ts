import type { AliasSettings } from '@ratchet/contracts/aliases'

/** A request that a mirror is to answer, taken on by this process. */
export interface LeasedShadow {
  readonly id: string
  readonly workspaceId: string
  readonly logId: string
  readonly model: string
  /** Which taking on it is: what a former one still does is ignored. */
  readonly generation: number
  /** Times that it was tried and failed. */
  readonly failures: number
  /** Who set the mirror up. */
  readonly createdBy: string
  readonly criterionId: AliasSettings['gate_criterion_id']
}

/** What came of it. */
export interface ShadowOutcome {
  /** `answered` waits for a verdict. */
  readonly state: 'answered' | 'done'
  /** Why there is no answer; null where there is one. `unpaid`: the wallet did not cover it. */
  readonly failure: 'gone' | 'refused' | 'unpaid' | null
  readonly costNano: bigint
  /** Milliseconds; null without an answer. */
  readonly latencyMs: number | null
}

export interface ShadowRelease {
  readonly error: string
  readonly delayMs: number
  readonly poisoned: boolean
  /** False for what was not tried at all. */
  readonly countsAsFailure: boolean
}

export interface ShadowStore {
  lease(id: string, leaseMs: number): Promise<LeasedShadow | null>
  renew(shadow: Pick<LeasedShadow, 'id' | 'generation'>, leaseMs: number): Promise<unknown>
  complete(shadow: Pick<LeasedShadow, 'id' | 'generation'>, outcome: ShadowOutcome): Promise<boolean>
  release(shadow: Pick<LeasedShadow, 'id' | 'generation'>, release: ShadowRelease): Promise<void>
  /** Ids of work that is due. */
  overdue(limit: number): Promise<readonly string[]>
  /** Answers of a mirror that wait for a verdict, by the exchange they belong to. */
  answered(key: ShadowKey, limit: number): Promise<readonly string[]>
  keepVerdicts(key: ShadowKey, verdicts: readonly ShadowVerdict[]): Promise<void>
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
