import { requirePositive } from '../require-arguments.ts'
import { HALF_LOG_TWO_PI } from './half-log-two-pi.ts'
import { stirlingRemainder } from './stirling-remainder.ts'

/**
 * Natural logarithm of the beta function B(a, b) = Γ(a)Γ(b)/Γ(a + b), without the cancellation of three log-gammas.
 *
 * @param a > 0
 * @param b > 0
 * @throws RangeError when a or b is not positive
 * @see NIST DLMF 5.12.1
 * @example logBeta(2, 3) // ln(1/12) = -2.485
 */
export function logBeta(a: number, b: number): number {
  requirePositive('a', a)
  requirePositive('b', b)
  const sum = a + b
  const remainder = stirlingRemainder(a) + stirlingRemainder(b) - stirlingRemainder(sum)
  const shares = (a - 0.5) * -Math.log1p(b / a) + (b - 0.5) * -Math.log1p(a / b)
  return shares - 0.5 * Math.log(sum) + HALF_LOG_TWO_PI + remainder
}
