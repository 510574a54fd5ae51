import { requireInnerRate } from '../require-arguments.ts'
import { normalCdf } from './normal-cdf.ts'

const REFINEMENTS = 4

/**
 * The z with P(Z ≤ z) = p for a standard normal Z.
 *
 * @param p between 0 and 1, both excluded
 * @throws RangeError when p is out of range
 * @see Abramowitz & Stegun 26.2.23 for the start, refined by Halley's method
 * @example normalQuantile(0.975) // 1.959964
 */
export function normalQuantile(p: number): number {
  requireInnerRate('p', p)
  if (p === 0.5) return 0
  const tail = Math.min(p, 1 - p)
  let z = firstGuess(tail)
  for (let step = 0; step < REFINEMENTS; step += 1) {
    const error = (normalCdf(z) - tail) * Math.sqrt(2 * Math.PI) * Math.exp((z * z) / 2)
    z -= error / (1 + (z * error) / 2)
  }
  return p < 0.5 ? z : -z
}

/** Good to 0.00045 in the lower tail. */
function firstGuess(tail: number): number {
  const t = Math.sqrt(-2 * Math.log(tail))
  const above = 2.515517 + t * (0.802853 + t * 0.010328)
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
  return above / below - t
}
