import type { Interval } from './interval.ts'

export interface StratifiedRate {
  /** 0..1 */
  readonly rate: number
  readonly interval: Interval
  /** The trials with which Wilson's interval of this rate is as wide on its wider side; at most the graded rows. */
  readonly effectiveTrials: number
  /** Rate × effective trials: the count for `trustDecision`. */
  readonly effectiveSuccesses: number
}

export interface IntervalOfRate {
  /** 0..1 */
  readonly rate: number
  readonly interval: Interval
  /** Two-sided critical value of the interval. */
  readonly z: number
}

/**
 * A rate and its interval as counts of equal weight: the trials with which Wilson's interval is as wide on its wider side.
 *
 * @param graded graded rows that say something about the rate, which the trials never exceed
 */
export function wilsonEquivalent({ rate, interval, z }: IntervalOfRate, graded: number): StratifiedRate {
  const trials = [interval.low, interval.high].map((bound) => trialsFor(bound, rate, z))
  const effectiveTrials = Math.min(graded, ...trials)
  return { rate, interval, effectiveTrials, effectiveSuccesses: rate * effectiveTrials }
}

/** The number of trials with which Wilson's interval of a rate ends at the bound; infinite when the bound is the rate. */
function trialsFor(bound: number, rate: number, z: number): number {
  return bound === rate ? Number.POSITIVE_INFINITY : (z * z * bound * (1 - bound)) / (rate - bound) ** 2
}
