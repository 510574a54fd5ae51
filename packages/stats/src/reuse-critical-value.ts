import { requireAmount, requireInnerRate } from './require-arguments.ts'
import { bisect } from './special/bisect.ts'
import { chiSquareTail } from './special/chi-square-tail.ts'

const MAX_STATISTIC = 100_000

/**
 * The critical value for a win rate that was measured on prompts which earlier comparisons used too. Without earlier
 * comparisons it is the normal quantile. With k of them it is Scheffé's √χ²(k + 1): whoever chooses a candidate by k results on
 * the same prompts can reach any combination of them, and this bound holds for all combinations together.
 *
 * @param level one-sided error rate, between 0 and 0.5, both excluded
 * @param uses k, the average number of earlier comparisons of a prompt, 0 or more
 * @returns the critical value, in standard errors
 * @throws RangeError when an argument is out of range
 * @see Scheffé 1953, doi:10.1093/biomet/40.1-2.87; Blum & Hardt 2015, arXiv:1502.04585, for the attack on reused test data
 * @example reuseCriticalValue(0.025, 0) // 1.960
 * @example reuseCriticalValue(0.025, 9) // 4.279
 */
export function reuseCriticalValue(level: number, uses: number): number {
  requireInnerRate('level', 2 * level)
  requireAmount('uses', uses)
  return Math.sqrt(
    bisect({ from: 0, to: MAX_STATISTIC }, (statistic) => chiSquareTail(statistic, uses + 1) <= 2 * level),
  )
}
