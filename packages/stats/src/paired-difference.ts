import { type Interval, Z_95 } from './interval.ts'
import { requireAmount, requirePositive } from './require-arguments.ts'
import { bisect } from './special/bisect.ts'

/** Comparisons of pairs by their result; fractions when clusters were reduced to their effective number. */
export interface PairedCounts {
  readonly wins: number
  readonly ties: number
  readonly losses: number
}

export interface PairedDifference {
  /** Share of wins minus share of losses, -1..1. */
  readonly difference: number
  /** Within -1..1. */
  readonly interval: Interval
}

/**
 * Difference between the shares of wins and losses, with Tango's score interval. It has a width without any losses, so it
 * can prove non-inferiority: a Wald interval of pairs that are all ties has none.
 *
 * @param z two-sided critical value; 95 % when absent
 * @returns null without comparisons
 * @throws RangeError when a count is negative or not finite
 * @see Tango 1998, doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B
 * @example pairedDifference({ wins: 0, ties: 100, losses: 0 }) // 0 in -0.037..0.037
 */
export function pairedDifference(counts: PairedCounts, z = Z_95): PairedDifference | null {
  const { wins, ties, losses } = counts
  for (const [name, value] of Object.entries({ wins, ties, losses })) requireAmount(name, value)
  requirePositive('z', z)
  const n = wins + ties + losses
  if (n === 0) return null
  const difference = (wins - losses) / n
  const scoreAt = (delta: number) => pairedScore(counts, delta)
  const low = difference <= -1 ? -1 : bisect({ from: -1, to: difference }, (delta) => scoreAt(delta) <= z)
  const high = difference >= 1 ? 1 : bisect({ from: 1, to: difference }, (delta) => scoreAt(delta) >= -z)
  return { difference, interval: { low, high } }
}

/**
 * The score statistic for a true difference `delta`: its variance comes from the most likely shares with that difference.
 * It falls from +∞ to −∞ as `delta` rises.
 */
function pairedScore({ wins, ties, losses }: PairedCounts, delta: number): number {
  const n = wins + ties + losses
  const linear = (2 * n - wins + losses) * delta - wins - losses
  const constant = -losses * delta * (1 - delta)
  const lossShare = (Math.sqrt(Math.max(0, linear ** 2 - 8 * n * constant)) - linear) / (4 * n)
  const variance = n * (2 * lossShare + delta * (1 - delta))
  const distance = wins - losses - n * delta
  if (variance <= 0) return distance === 0 ? 0 : Math.sign(distance) * Number.POSITIVE_INFINITY
  return distance / Math.sqrt(variance)
}
