import { requirePositive, requireRate } from '../require-arguments.ts'
import { HALF_LOG_TWO_PI } from './half-log-two-pi.ts'
import { stirlingRemainder } from './stirling-remainder.ts'

const MAX_TERMS = 100_000
const TINY = 1e-300

/**
 * Regularised incomplete beta function I_x(a, b): the distribution function of Beta(a, b), and the binomial tail
 * P(X ≥ k) = I_p(k, n − k + 1).
 *
 * @param x 0..1
 * @returns 0..1, to about 13 digits
 * @throws RangeError when an argument is out of range
 * @see NIST DLMF 8.17.22
 * @example incompleteBeta(0.5, { a: 2, b: 2 }) // 0.5
 */
export function incompleteBeta(x: number, shape: { readonly a: number; readonly b: number }): number {
  return Math.exp(logIncompleteBeta(x, shape))
}

/**
 * Natural logarithm of the regularised incomplete beta function; finite where the function itself underflows.
 *
 * @param x 0..1
 * @returns -Infinity..0
 * @throws RangeError when an argument is out of range
 * @see NIST DLMF 8.17.22
 */
export function logIncompleteBeta(x: number, { a, b }: { readonly a: number; readonly b: number }): number {
  requireRate('x', x)
  requirePositive('a', a)
  requirePositive('b', b)
  if (x === 0) return Number.NEGATIVE_INFINITY
  if (x === 1) return 0
  // The fraction converges fast on this side of the mean only; the other side is its mirror image.
  if (x < (a + 1) / (a + b + 2)) return logFromFraction(x, a, b)
  return Math.log1p(-Math.exp(logFromFraction(1 - x, b, a)))
}

function logFromFraction(x: number, a: number, b: number): number {
  return logFactor(x, a, b) - Math.log(a) + Math.log(continuedFraction(x, a, b))
}

/** ln[x^a (1 − x)^b / B(a, b)], written around the mean so that large shapes lose no digits. */
function logFactor(x: number, a: number, b: number): number {
  const sum = a + b
  const offset = x * b - (1 - x) * a
  const powers = a * logRatio((x * sum) / a, offset / a) + b * logRatio(((1 - x) * sum) / b, -offset / b)
  const remainder = stirlingRemainder(a) + stirlingRemainder(b) - stirlingRemainder(sum)
  return powers + 0.5 * Math.log((a * b) / sum) - HALF_LOG_TWO_PI - remainder
}

/** ln(ratio), where ratio = 1 + excess: near 1 the excess has the digits, far from 1 the ratio has. */
function logRatio(ratio: number, excess: number): number {
  return Math.abs(excess) < 0.5 ? Math.log1p(excess) : Math.log(ratio)
}

/** The fraction of DLMF 8.17.22 by the modified Lentz algorithm. */
function continuedFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m <= MAX_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / awayFromZero(1 + even * d)
    c = awayFromZero(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / awayFromZero(1 + odd * d)
    c = awayFromZero(1 + odd / c)
    value *= d * c
    if (Math.abs(d * c - 1) < 1e-15) return value
  }
  throw new Error(`the incomplete beta function does not converge at x ${x}, a ${a}, b ${b}`)
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value
}
