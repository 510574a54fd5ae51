import { requireCounts } from './require-arguments.ts'
import { binomialTail } from './special/binomial-tail.ts'

/**
 * Two-sided exact p-value that wins and losses are equally likely; ties are excluded. With the two kinds of discordant
 * pairs as arguments it is the exact McNemar test.
 *
 * @param wins count
 * @param losses count
 * @returns 0..1; 1 without wins and losses
 * @throws RangeError when a count is not a whole number ≥ 0
 * @see McNemar 1947, doi:10.1007/BF02295996
 * @example exactSignTest(9, 0) // 0.0039
 */
export function exactSignTest(wins: number, losses: number): number {
  requireCounts({ wins, losses })
  return Math.min(1, 2 * binomialTail(Math.max(wins, losses), { trials: wins + losses, rate: 0.5 }))
}
