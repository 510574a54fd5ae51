/** A workspace's own name for a model, as it is in force. */
export interface AliasRoute {
  readonly id: string
  readonly name: string
  /** Model id; never another alias. */
  readonly targetModel: string
  /** The model that has the canary's share; null when nothing is split. */
  readonly canaryModel: string | null
  /** The canary's share of requests, 0..100. */
  readonly canaryPercent: number
  /** Whether the requests of one trace keep to one model. */
  readonly stickyBy: 'request' | 'trace'
  /** Of this split: every change of it begins another, and their counts are not added up. */
  readonly epoch: number
}

export type Arm = 'target' | 'canary'

/** The arm of an alias that a request fell to. */
export interface ChosenArm extends Pick<AliasRoute, 'id' | 'name' | 'epoch'> {
  readonly arm: Arm
}
