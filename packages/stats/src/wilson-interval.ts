import { clampInterval, type Interval, UNIT, Z_95 } from './interval.ts'
import { requirePositive, requireSuccesses } from './require-arguments.ts'

/**
 * Wilson score interval for a proportion: stays inside [0, 1] and keeps its coverage when `trials` is small or the rate
 * is near 0 or 1, where judge pass rates usually are.
 *
 * @param successes 0..trials; a fraction where the trials are an effective number
 * @param trials ≥ 0
 * @param z two-sided critical value; 1.959964 is 95 %
 * @returns bounds in 0..1, or null without trials
 * @throws RangeError when the counts are impossible
 * @see Wilson 1927, doi:10.1080/01621459.1927.10502953
 * @example wilsonInterval(8, 10) // { low: 0.490, high: 0.943 }
 */
export function wilsonInterval(successes: number, trials: number, z = Z_95): Interval | null {
  requireSuccesses(successes, trials)
  requirePositive('z', z)
  if (trials === 0) return null
  const rate = successes / trials
  const shrink = 1 + (z * z) / trials
  const centre = (rate + (z * z) / (2 * trials)) / shrink
  const half = (z / shrink) * Math.sqrt((rate * (1 - rate)) / trials + (z * z) / (4 * trials * trials))
  // The bounds at 0 and 1 are mathematically exact; this removes rounding errors.
  const low = successes === 0 ? 0 : centre - half
  const high = successes === trials ? 1 : centre + half
  return clampInterval({ low, high }, UNIT)
}
