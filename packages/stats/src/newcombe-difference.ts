import type { RateDifference } from './corrected-difference.ts'
import { Z_95 } from './interval.ts'
import { requireTwoProportions, type TwoProportions } from './two-proportions.ts'
import { wilsonInterval } from './wilson-interval.ts'

/**
 * Difference of two independent proportions, first minus second, with Newcombe's hybrid score interval (method 10). Valid
 * for a single analysis; repeated interim looks need `asymptoticConfidenceSequence`.
 *
 * @param z two-sided critical value; 95 % when absent
 * @returns difference and bounds in -1..1, or null when a group has no trials
 * @throws RangeError when the counts are impossible
 * @see Newcombe 1998, doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I
 * @example newcombeDifference({ successes1: 56, trials1: 70, successes2: 48, trials2: 80 }) // 0.2 in 0.052..0.334
 */
export function newcombeDifference(groups: TwoProportions, z = Z_95): RateDifference | null {
  requireTwoProportions(groups)
  const first = wilsonInterval(groups.successes1, groups.trials1, z)
  const second = wilsonInterval(groups.successes2, groups.trials2, z)
  if (first === null || second === null) return null
  const rate1 = groups.successes1 / groups.trials1
  const rate2 = groups.successes2 / groups.trials2
  const difference = rate1 - rate2
  const low = difference - Math.hypot(rate1 - first.low, second.high - rate2)
  const high = difference + Math.hypot(first.high - rate1, rate2 - second.low)
  return { difference, interval: { low, high } }
}
