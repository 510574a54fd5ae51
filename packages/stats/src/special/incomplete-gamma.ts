import { requireAmount, requirePositive } from '../require-arguments.ts'
import { HALF_LOG_TWO_PI } from './half-log-two-pi.ts'
import { stirlingRemainder } from './stirling-remainder.ts'

const MAX_TERMS = 100_000

/**
 * Regularised upper incomplete gamma function Q(a, x) = Γ(a, x)/Γ(a).
 *
 * @param a > 0
 * @param x ≥ 0
 * @returns 0..1, to about 13 digits
 * @throws RangeError when an argument is out of range
 * @see NIST DLMF 8.11.4 (series) and 8.9.2 (continued fraction)
 */
export function upperIncompleteGamma(a: number, x: number): number {
  requirePositive('a', a)
  requireAmount('x', x)
  if (x === 0) return 1
  const factor = Math.exp(logFactor(a, x))
  return x < a + 1 ? 1 - factor * series(a, x) : factor * continuedFraction(a, x)
}

/** ln[x^a e^−x / Γ(a)]. */
function logFactor(a: number, x: number): number {
  return a * Math.log(x / a) - (x - a) + 0.5 * Math.log(a) - HALF_LOG_TWO_PI - stirlingRemainder(a)
}

function series(a: number, x: number): number {
  let term = 1 / a
  let sum = term
  for (let n = 1; n <= MAX_TERMS; n += 1) {
    term *= x / (a + n)
    sum += term
    if (term < sum * 1e-16) return sum
  }
  throw new Error(`the incomplete gamma function does not converge at a ${a}, x ${x}`)
}

function continuedFraction(a: number, x: number): number {
  let b = x + 1 - a
  let c = Number.POSITIVE_INFINITY
  let d = 1 / b
  let value = d
  for (let n = 1; n <= MAX_TERMS; n += 1) {
    const numerator = -n * (n - a)
    b += 2
    d = 1 / (numerator * d + b)
    c = b + numerator / c
    value *= d * c
    if (Math.abs(d * c - 1) < 1e-15) return value
  }
  throw new Error(`the incomplete gamma function does not converge at a ${a}, x ${x}`)
}
