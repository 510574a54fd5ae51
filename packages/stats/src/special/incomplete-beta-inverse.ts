import { requirePositive, requireRate } from '../require-arguments.ts'
import { bisect } from './bisect.ts'
import { incompleteBeta } from './incomplete-beta.ts'

/**
 * The x with I_x(a, b) = p: the quantile function of Beta(a, b).
 *
 * @param p 0..1
 * @returns 0..1
 * @throws RangeError when an argument is out of range
 * @see NIST DLMF 8.17; found by bisection, about 60 evaluations
 * @example incompleteBetaInverse(0.5, { a: 2, b: 2 }) // 0.5
 */
export function incompleteBetaInverse(p: number, { a, b }: { readonly a: number; readonly b: number }): number {
  requireRate('p', p)
  requirePositive('a', a)
  requirePositive('b', b)
  if (p === 0 || p === 1) return p
  return bisect({ from: 0, to: 1 }, (x) => incompleteBeta(x, { a, b }) >= p)
}
