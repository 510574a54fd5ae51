import { upperIncompleteGamma } from './incomplete-gamma.ts'

/**
 * P(X ≥ statistic) for a chi-square distributed X.
 *
 * @param statistic ≥ 0
 * @param degreesOfFreedom > 0
 * @returns 0..1
 * @throws RangeError when an argument is out of range
 * @see NIST DLMF 8.4; Q(k/2, x/2)
 * @example chiSquareTail(3.841459, 1) // 0.05
 */
export function chiSquareTail(statistic: number, degreesOfFreedom: number): number {
  return upperIncompleteGamma(degreesOfFreedom / 2, statistic / 2)
}
