import { requireFinite } from '../require-arguments.ts'
import { upperIncompleteGamma } from './incomplete-gamma.ts'

/**
 * Standard normal distribution function P(Z ≤ z); keeps its digits in the lower tail.
 *
 * @param z any finite number
 * @returns 0..1
 * @throws RangeError when z is not finite
 * @see NIST DLMF 7.11.2; Φ(−z) = ½ Q(½, z²/2)
 * @example normalCdf(1.959964) // 0.975
 */
export function normalCdf(z: number): number {
  requireFinite('z', z)
  const tail = 0.5 * upperIncompleteGamma(0.5, (z * z) / 2)
  return z < 0 ? tail : 1 - tail
}
