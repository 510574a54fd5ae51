import type { FamilyRule } from '@ratchet/contracts/family-rules'

/** A workspace's own name for a model, as it is currently in force. */
export interface AliasRoute {
  readonly id: string
  readonly name: string
  /** Model id; never another alias. */
  readonly targetModel: string
  /** The model that gets the canary's share; null without a split. */
  readonly canaryModel: string | null
  /** The canary's share of requests, 0..100. */
  readonly canaryPercent: number
  /** With `trace` all requests of one trace go to the same model. */
  readonly stickyBy: 'request' | 'trace'
  /** Number of the current split. Every change begins a new epoch, and counts of different epochs are not added up. */
  readonly epoch: number
  /** Prompt families that one model answers outside of the split; usually none. */
  readonly familyRules: readonly FamilyRule[]
}

export type Arm = 'target' | 'canary'

/** The arm of an alias that a request was assigned to. */
export interface ChosenArm extends Pick<AliasRoute, 'id' | 'name' | 'epoch'> {
  readonly arm: Arm
}

/** How an alias routed a request. */
export interface ChosenRoute extends Pick<AliasRoute, 'id' | 'name' | 'epoch'> {
  /** Null for a request that a rule of its family took out of the split, so that it counts for neither arm. */
  readonly arm: Arm | null
}
