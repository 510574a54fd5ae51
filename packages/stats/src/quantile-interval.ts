import type { Interval } from './interval.ts'
import { requireEach, requireFinite, requireInnerRate } from './require-arguments.ts'
import { binomialTail } from './special/binomial-tail.ts'
import { firstWholeNumber } from './special/first-whole-number.ts'

export interface QuantileOptions {
  /** 0.5 is the median, 0.95 is p95; between 0 and 1. */
  readonly quantile: number
  /** 0.95 when absent. */
  readonly confidence?: number
}

/**
 * Interval for a quantile of the distribution that the values come from, in their unit.
 *
 * @param values in any order
 * @returns two of the values, or null when there are too few: p95 takes 72 values at 95 %, the median 6
 * @throws RangeError when an argument is out of range
 * @see David & Nagaraja 2003, Order Statistics, 7.1
 */
export function quantileInterval(values: readonly number[], options: QuantileOptions): Interval | null {
  requireEach('values', values, requireFinite)
  const ranks = quantileRanks(values.length, options)
  if (ranks === null) return null
  const ascending = Float64Array.from(values).sort()
  return { low: ascending[ranks.low - 1] ?? Number.NaN, high: ascending[ranks.high - 1] ?? Number.NaN }
}

/** The ranks, 1 to `size`, of the order statistics between which a quantile is, for any distribution. */
function quantileRanks(size: number, { quantile, confidence = 0.95 }: QuantileOptions): Interval | null {
  requireInnerRate('quantile', quantile)
  requireInnerRate('confidence', confidence)
  const tail = (1 - confidence) / 2
  const atLeast = (rank: number) => binomialTail(rank, { trials: size, rate: quantile })
  if (size === 0 || atLeast(1) < 1 - tail || atLeast(size) > tail) return null
  const low = firstWholeNumber({ above: 1, to: size + 1 }, (rank) => atLeast(rank) < 1 - tail) - 1
  const high = firstWholeNumber({ above: 0, to: size }, (rank) => atLeast(rank) <= tail)
  return { low, high }
}
