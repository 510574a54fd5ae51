import type { SlotPattern } from './instruction-slots.ts'

/** What the prompts of an application have in common, in order: tokens, with a gap wherever they differ. */
export type Layout = readonly (string | LayoutGap)[]

/** What may stand between two anchors of a layout. */
export interface LayoutGap {
  /** Instructions may stand there, because none of them is the task: inside, or also at its ends. */
  readonly orders: 'none' | 'inside' | 'anywhere'
  /** It is one order in which values vary. */
  readonly slots?: SlotPattern
  /** It is one part. */
  readonly isOne?: boolean
}
