import { asymptoticMargin, MIN_VARIANCE, type SequenceOptions } from './asymptotic-confidence-sequence.ts'
import type { RateDifference } from './corrected-difference.ts'
import { type PartlyGradedRate, type PartlyGradedRows, partlyGradedRate } from './partly-graded-rate.ts'

/**
 * Human pass rate of the first group minus that of the second, when a judge judged all rows and people graded a random part
 * of each verdict in each group. The judge may err differently in both groups. With a confidence sequence, which is valid
 * after every verdict and every grade. Asymptotic: do not decide with fewer than about 50 grades in a group.
 *
 * @param options.tightestAt the information 1/error² at which the sequence is narrowest; see `informationForMargin`
 * @returns null when a group has no estimate, see `partlyGradedRate`
 * @throws RangeError when an argument is out of range
 * @see Waudby-Smith et al. 2024, doi:10.1214/24-AOS2408, arXiv:2103.06476
 */
export function partlyGradedDifference(
  first: PartlyGradedRows,
  second: PartlyGradedRows,
  options: SequenceOptions & { readonly tightestAt: number },
): RateDifference | null {
  const [one, other] = [partlyGradedRate(first), partlyGradedRate(second)]
  if (one === null || other === null) return null
  const difference = other.failRate - one.failRate
  return {
    difference,
    interval: {
      low: difference - marginOf(one.errorAbove, other.errorBelow, options),
      high: difference + marginOf(one.errorBelow, other.errorAbove, options),
    },
  }
}

function marginOf(
  error1: PartlyGradedRate['errorAbove'],
  error2: PartlyGradedRate['errorAbove'],
  options: SequenceOptions,
): number {
  const variance = Math.max(MIN_VARIANCE, error1 ** 2 + error2 ** 2)
  return asymptoticMargin({ variance: 1, n: 1 / variance }, options)
}

/**
 * The information 1/error² of an estimate at which its confidence sequence, tuned to be narrowest there, has half the width
 * `margin`. Estimates with this information as `tightestAt` prove the margin with the fewest rows.
 *
 * @throws RangeError when an argument is out of range
 */
export function informationForMargin(margin: number, alpha = 0.05): number {
  // A sequence that is tuned to information I has a margin of c/√I, where c depends on alpha only.
  return (asymptoticMargin({ variance: 1, n: 1 }, { alpha, tightestAt: 1 }) / margin) ** 2
}
