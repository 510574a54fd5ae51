import { Z_95 } from './interval.ts'
import { requireInnerRate, requirePositive, requireSuccesses } from './require-arguments.ts'

/** The number of trials that decides on which side of the bar a rate lies. */
export interface GradesNeeded {
  /** The number of trials, not rounded; null when the rate equals the bar, where no number is enough. */
  readonly required: number | null
  /** Number of further trials, at least 1; null as above. */
  readonly extra: number | null
}

export interface BarOptions {
  /** The rate to prove, between 0 and 1; 0.9 when absent. */
  readonly bar?: number
  /** Two-sided critical value; 95 % when absent. */
  readonly z?: number
}

/** The rate that both TPR and TNR of a trusted judge must be proven to reach. */
export const TRUST_BAR = 0.9

/**
 * The number of trials at which a Wilson bound reaches the bar if the observed rate holds: N = z²·b(1 − b)/(p − b)².
 * Above the bar it is the lower bound that reaches it, below the bar the upper one.
 *
 * @param successes 0..trials, possibly a fraction
 * @param trials > 0
 * @returns `extra` is 1 even when the bar is already proven; `trustDecision` decides which number to show
 * @throws RangeError when the counts are impossible or there are no trials
 * @see Wilson 1927: the bound is where the score test is at its critical value
 * @example gradesNeeded(10, 10) // { required: 34.57, extra: 25 }
 */
export function gradesNeeded(
  successes: number,
  trials: number,
  { bar = TRUST_BAR, z = Z_95 }: BarOptions = {},
): GradesNeeded {
  requireSuccesses(successes, trials)
  requirePositive('trials', trials)
  requireInnerRate('bar', bar)
  requirePositive('z', z)
  const rate = successes / trials
  if (rate === bar) return { required: null, extra: null }
  const required = (z * z * bar * (1 - bar)) / (rate - bar) ** 2
  return { required, extra: Math.max(1, Math.ceil(required - trials)) }
}
