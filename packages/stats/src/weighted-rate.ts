import { effectiveSampleSize } from './effective-sample-size.ts'
import { type Interval, Z_95 } from './interval.ts'
import { wilsonInterval } from './wilson-interval.ts'

export interface WeightedOutcome {
  readonly success: boolean
  /** > 0; 1 / the probability with which the row was chosen. */
  readonly weight: number
}

export interface WeightedRate {
  /** 0..1 */
  readonly rate: number
  readonly interval: Interval
  readonly effectiveTrials: number
  /** Rate × effective trials: the count for `trustDecision`. */
  readonly effectiveSuccesses: number
}

/**
 * A rate over rows that were selected with different probabilities, with a Wilson interval at the effective sample size. The
 * interval is too narrow when the rare outcome has the large weights, because none of its rows may be drawn: for TPR and TNR
 * of rows drawn by verdict, use `stratifiedAccuracy`.
 *
 * @param z two-sided critical value; 95 % when absent
 * @returns null without rows
 * @throws RangeError when a weight is not positive
 * @see Kish 1965, Survey Sampling; Horvitz & Thompson 1952, doi:10.1080/01621459.1952.10483446
 */
export function weightedRate(outcomes: readonly WeightedOutcome[], z = Z_95): WeightedRate | null {
  const effectiveTrials = effectiveSampleSize(outcomes.map(({ weight }) => weight))
  const successes = outcomes.filter(({ success }) => success)
  const rate = successes.length === outcomes.length ? 1 : totalWeight(successes) / totalWeight(outcomes)
  const effectiveSuccesses = rate * effectiveTrials
  const interval = wilsonInterval(effectiveSuccesses, effectiveTrials, z)
  return interval === null ? null : { rate, interval, effectiveTrials, effectiveSuccesses }
}

function totalWeight(outcomes: readonly WeightedOutcome[]): number {
  return outcomes.reduce((total, { weight }) => total + weight, 0)
}
