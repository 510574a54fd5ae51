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
  | { readonly kind: 'random'; readonly frameId: string }
  /** People picked it, or it is not known. */
  | { readonly kind: 'picked' }
  /** From a stratum of a frame. */
  | {
      readonly kind: 'frame'
      readonly frameId: string
      readonly stratum: string
      /** Exchanges or runs of the stratum. */
      readonly rows: number
      /** Strata of the frame. */
      readonly strata: number
    }

/** An item that was offered to people before others that have a grade, and that has none. */
export interface UnansweredItem {
  readonly itemKey: string
  readonly sampling: GradeSampling
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

/** The weight that an item has among the selected ones. */
export interface ItemWeight {
  readonly samplingProbability: number
  /** The draw and its stratum. */
  readonly stratum: string
}

export interface WeighedItem extends GradedItem, ItemWeight {}
