const COEFFICIENTS = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360_360] as const
const SERIES_FROM = 16

/**
 * The remainder of Stirling's formula: ln Γ(x) − [(x − ½) ln x − x + ½ ln 2π]. Ratios of gamma functions written with
 * it lose no digits to the large terms, which cancel mathematically.
 *
 * @param x > 0
 * @returns about 1 / (12x)
 * @see NIST DLMF 5.11.1; recurrence from 5.5.1
 */
export function stirlingRemainder(x: number): number {
  let sum = 0
  let at = x
  for (; at < SERIES_FROM; at += 1) sum += (at + 0.5) * Math.log1p(1 / at) - 1
  const inverse = 1 / at
  const series = COEFFICIENTS.reduceRight((total, coefficient) => total * inverse * inverse + coefficient, 0)
  return sum + series * inverse
}
