import { Z_95 } from './interval.ts'
import { requirePositive, requireRate } from './require-arguments.ts'

/**
 * The number of comparisons without ties at which the interval of a win rate excludes 0.5 if the rate holds: z²/4/(w −
 * ½)².
 *
 * @param winRate 0..1
 * @param z two-sided critical value; 95 % when absent
 * @returns a whole number, or null at 0.5, which no number excludes
 * @throws RangeError when an argument is out of range
 * @see Wilson 1927: the bound is where the score test is at its critical value
 * @example samplesToExcludeHalf(0.55) // 385
 */
export function samplesToExcludeHalf(winRate: number, z = Z_95): number | null {
  requireRate('winRate', winRate)
  requirePositive('z', z)
  return winRate === 0.5 ? null : Math.ceil((z * z) / 4 / (winRate - 0.5) ** 2)
}
