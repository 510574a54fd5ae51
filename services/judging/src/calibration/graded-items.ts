import type { Verdict } from '@ratchet/contracts/criteria'

export interface GradeInForce {
  readonly labelId: string
  readonly itemKey: string
  readonly verdict: Verdict
  readonly graderId: string
  /** Whether it was given for the criterion, not for the exchange as a whole. */
  readonly isOwn: boolean
  readonly snapshotId: string
  readonly sampling: GradeSampling
  readonly segment: string
  readonly tag: string | null
  readonly createdAt: Date
}

/** How a graded item was chosen. */
export type GradeSampling =
  | { readonly kind: 'random' }
  /** People picked it, or it is not known. */
  | { readonly kind: 'picked' }
  /** From a stratum of a frame. */
  | {
      readonly kind: 'frame'
      readonly frameId: string
      readonly stratum: string
      /** Exchanges of the stratum. */
      readonly rows: number
      /** Strata of the frame. */
      readonly strata: number
    }
  /** As the caller stated. */
  | {
      readonly kind: 'stated'
      readonly method: string
      /** 0 < p <= 1 */
      readonly probability: number
      readonly stratum: string | null
    }

export interface GradedItem {
  readonly itemKey: string
  readonly human: Verdict
  /** The newest grade with the verdict `human`. */
  readonly labelId: string
  readonly snapshotId: string
  readonly sampling: GradeSampling
  readonly segment: string
  readonly tag: string | null
  readonly gradedAt: Date
}

/** An item with the weight that it has among the selected ones. */
export interface WeighedItem extends GradedItem {
  readonly samplingProbability: number
  /** The draw and its stratum. */
  readonly stratum: string
}
