import { requireInnerRate, requirePositive } from '../require-arguments.ts'
import { incompleteBetaInverse } from './incomplete-beta-inverse.ts'

/**
 * The t with P(T ≤ t) = p for Student's T.
 *
 * @param p between 0 and 1, both excluded
 * @param freedom degrees of freedom, > 0
 * @throws RangeError when an argument is out of range
 * @see NIST DLMF 8.17; Abramowitz & Stegun 26.7.1
 * @example studentQuantile(0.975, 9) // 2.262157
 */
export function studentQuantile(p: number, freedom: number): number {
  requireInnerRate('p', p)
  requirePositive('freedom', freedom)
  const x = incompleteBetaInverse(2 * Math.min(p, 1 - p), { a: freedom / 2, b: 0.5 })
  const t = Math.sqrt((freedom * (1 - x)) / x)
  return p < 0.5 ? -t : t
}
