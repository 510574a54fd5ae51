import { exactSignTest } from './exact-sign-test.ts'
import { requireCounts } from './require-arguments.ts'

/** Number of samples judged in both orders, by their two verdicts. */
export interface OrderSwapCounts {
  /** A won in both orders. */
  readonly bothA: number
  /** B won in both orders. */
  readonly bothB: number
  /** The reply shown first won in both orders. */
  readonly firstBoth: number
  /** The reply shown second won in both orders. */
  readonly secondBoth: number
}

export interface OrderSwapSummary {
  /** Share of samples with the same winner in both orders, 0..1. */
  readonly consistency: number
  /** Win rate of A; an inconsistent sample counts as a tie. */
  readonly winRate: number
  /** -1..1; above 0 the judge favours the reply shown first. */
  readonly positionBias: number
  /** Exact McNemar p-value of the position bias. */
  readonly positionBiasP: number
  /** Win rate of A if only the order with A first had been judged. */
  readonly winRateShownFirst: number
  readonly winRateShownSecond: number
  /** Consistency is below 0.6. */
  readonly unreliable: boolean
}

const MIN_CONSISTENCY = 0.6

/**
 * The consistency and the position bias of a judge that judged every pair in both orders.
 *
 * @returns null without samples
 * @throws RangeError when a count is not a whole number ≥ 0
 * @see Zheng et al. 2023, arXiv:2306.05685; McNemar 1947, doi:10.1007/BF02295996
 */
export function orderSwapSummary(counts: OrderSwapCounts): OrderSwapSummary | null {
  const { bothA, bothB, firstBoth, secondBoth } = counts
  requireCounts({ bothA, bothB, firstBoth, secondBoth })
  const samples = bothA + bothB + firstBoth + secondBoth
  if (samples === 0) return null
  const consistency = (bothA + bothB) / samples
  return {
    consistency,
    winRate: (bothA + (firstBoth + secondBoth) / 2) / samples,
    positionBias: (firstBoth - secondBoth) / samples,
    positionBiasP: exactSignTest(firstBoth, secondBoth),
    winRateShownFirst: (bothA + firstBoth) / samples,
    winRateShownSecond: (bothA + secondBoth) / samples,
    unreliable: consistency < MIN_CONSISTENCY,
  }
}
