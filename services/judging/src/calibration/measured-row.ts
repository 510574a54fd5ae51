import type { Verdict } from '@ratchet/contracts/criteria'
import type { ItemWeight } from './graded-items.ts'

/**
 * An item with a verdict of people and one of the judge. Both are null where people were offered an item and left it out; that of
 * the judge alone where it gave no readable one.
 */
export interface MeasuredRow {
  readonly human: Verdict | null
  readonly verdict: Verdict | null
  /** The probability with which it was chosen; 0 < p <= 1. */
  readonly samplingProbability: number
  /** The draw and the stratum from which it was chosen; absent when there were none. */
  readonly stratum?: string | null
}

/** An item that people were offered and left out. */
export function unansweredRow({ samplingProbability, stratum }: ItemWeight): MeasuredRow {
  return { human: null, verdict: null, samplingProbability, stratum }
}
