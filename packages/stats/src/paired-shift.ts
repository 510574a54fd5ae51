import { type Interval, Z_95 } from './interval.ts'
import { requireCounts, requirePositive } from './require-arguments.ts'

/** The same items, judged twice. */
export interface PairedCounts {
  /** Items with the outcome the second time only. */
  readonly gained: number
  /** Items with the outcome the first time only. */
  readonly lost: number
  /** All items. */
  readonly pairs: number
}

export interface PairedShift {
  /** Rate the second time minus rate the first time, -1..1. */
  readonly shift: number
  readonly standardError: number
  /** For one analysis; may lie a little outside of -1..1. */
  readonly interval: Interval
}

/**
 * The change of a rate between two judgements of the same items, with Agresti and Min's adjusted Wald interval, which is
 * valid for few items too. Valid for a single analysis.
 *
 * @param z two-sided critical value; 95 % when absent
 * @returns null without pairs
 * @throws RangeError when the counts are impossible
 * @see Agresti & Min 2005, doi:10.1002/sim.1781
 * @example pairedShift({ gained: 8, lost: 2, pairs: 50 }) // 0.115 in -0.007..0.238
 */
export function pairedShift({ gained, lost, pairs }: PairedCounts, z = Z_95): PairedShift | null {
  requireCounts({ gained, lost, pairs })
  requirePositive('z', z)
  if (gained + lost > pairs) throw new RangeError(`gained and lost must be at most ${pairs} together`)
  if (pairs === 0) return null
  // Half an item is added to each of the four possible outcomes of a pair.
  const n = pairs + 2
  const shift = (gained - lost) / n
  const standardError = Math.sqrt((gained + lost + 1 - (gained - lost) ** 2 / n) / n ** 2)
  return { shift, standardError, interval: { low: shift - z * standardError, high: shift + z * standardError } }
}
