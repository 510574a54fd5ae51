import type { Verdict } from '@ratchet/contracts/criteria'

/** An item with a verdict of people and one of the judge. */
export interface MeasuredRow {
  readonly human: Verdict
  readonly verdict: Verdict
  /** The probability with which it was chosen; 0 < p <= 1. */
  readonly samplingProbability: number
  /** The draw and the stratum from which it was chosen; absent when there were none. */
  readonly stratum?: string | null
}
