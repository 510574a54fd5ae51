import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { exactSignTest } from '@ratchet/stats/exact-sign-test'
import { isConsistent, type Preference } from '../samples/measured-sample.ts'

type OrderEffects = Pick<
  CandidateReport,
  'inconsistent' | 'consistency_rate' | 'judge_unreliable' | 'position_bias' | 'position_bias_p'
>

/** Share of pairs below which a judge that says something else in the other order is not to be relied on. */
const leastConsistency = 0.6

/** What seeing every pair in both orders says of the judge. A tie in both orders is consistent. */
export function orderEffectsOf(pairs: readonly (readonly [Preference, Preference])[]): OrderEffects {
  const consistent = pairs.filter(isConsistent).length
  const inconsistent = pairs.length - consistent
  if (pairs.length === 0) {
    return { inconsistent, consistency_rate: null, judge_unreliable: false, position_bias: null, position_bias_p: null }
  }
  const favoured = (place: Preference) => pairs.filter((looks) => looks.every((look) => look === place)).length
  const [first, second] = [favoured('first'), favoured('second')]
  return {
    inconsistent,
    consistency_rate: consistent / pairs.length,
    judge_unreliable: consistent / pairs.length < leastConsistency,
    position_bias: (first - second) / pairs.length,
    position_bias_p: exactSignTest(first, second),
  }
}
