import { requirePositive } from '../require-arguments.ts'
import { stirlingRemainder } from './stirling-remainder.ts'

/** Half of ln 2π. */
export const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI)

/**
 * Natural logarithm of the gamma function.
 *
 * @param x > 0
 * @throws RangeError when x is not positive
 * @see NIST DLMF 5.11.1
 * @example logGamma(5) // ln 24 = 3.178
 */
export function logGamma(x: number): number {
  requirePositive('x', x)
  return (x - 0.5) * Math.log(x) - x + HALF_LOG_TWO_PI + stirlingRemainder(x)
}
