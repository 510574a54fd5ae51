import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { clusteredWinRate } from '@ratchet/stats/clustered-win-rate'
import { exactSignTest } from '@ratchet/stats/exact-sign-test'
import { samplesToExcludeHalf } from '@ratchet/stats/samples-to-exclude-half'
import { type PairwiseCounts, type WinRate, winRate } from '@ratchet/stats/win-rate'
import { isConsistent, type Preference } from '../judging/pair-verdict.ts'
import { countOutcomes, type PairedSample } from './paired-sample.ts'

type WinRateFigures = Pick<
  CandidateReport,
  'winRate' | 'win_rate' | 'win_rate_ci' | 'sign_test_p' | 'inconclusive' | 'samples_needed'
>

/** The win rate of a candidate with its interval and sign test. */
export function winRateOf(samples: readonly PairedSample[]): WinRateFigures {
  const judged = samples.filter(({ pair }) => pair.kind === 'judged')
  const clusters = [...Map.groupBy(judged, ({ cluster }) => cluster).values()].map(countOutcomes)
  const isClustered = clusters.length < judged.length
  const estimate = isClustered ? clusteredWinRate(clusters) : winRate(countOutcomes(judged))
  if (estimate === null) {
    return {
      winRate: null,
      win_rate: null,
      win_rate_ci: null,
      sign_test_p: null,
      inconclusive: true,
      samples_needed: null,
    }
  }
  const { winRate: rate, interval, inconclusive } = estimate
  return {
    winRate: rate,
    win_rate: rate,
    win_rate_ci: [interval.low, interval.high],
    sign_test_p: signTest(clusters),
    inconclusive,
    samples_needed: inconclusive ? samplesNeeded(estimate, isClustered ? judged.length : null) : null,
  }
}

/** Each cluster counts once, for the model that won more of its samples. */
function signTest(clusters: readonly PairwiseCounts[]): number {
  const won = clusters.filter(({ wins, losses }) => wins > losses).length
  const lost = clusters.filter(({ wins, losses }) => losses > wins).length
  return exactSignTest(won, lost)
}

/** Samples in clusters carry less information, so more of them are needed than of independent samples. */
function samplesNeeded({ winRate: rate, effectiveTrials }: WinRate, clustered: number | null): number | null {
  const needed = samplesToExcludeHalf(rate)
  return needed === null || clustered === null ? needed : Math.ceil((needed * clustered) / effectiveTrials)
}

type OrderEffects = Pick<
  CandidateReport,
  'inconsistent' | 'consistency_rate' | 'judge_unreliable' | 'position_bias' | 'position_bias_p'
>

/** Minimum share of pairs for which the judge prefers the same answer in both orders. Below it the judge is reported as unreliable. */
const minConsistency = 0.6

/** Consistency and position bias of the judge over the two orders. A tie in both orders is consistent. */
export function orderEffectsOf(pairs: readonly (readonly [Preference, Preference])[]): OrderEffects {
  const consistent = pairs.filter(isConsistent).length
  const inconsistent = pairs.length - consistent
  if (pairs.length === 0) {
    return { inconsistent, consistency_rate: null, judge_unreliable: false, position_bias: null, position_bias_p: null }
  }
  const favoured = (place: Preference) =>
    pairs.filter((preferences) => preferences.every((preference) => preference === place)).length
  const [first, second] = [favoured('first'), favoured('second')]
  return {
    inconsistent,
    consistency_rate: consistent / pairs.length,
    judge_unreliable: consistent / pairs.length < minConsistency,
    position_bias: (first - second) / pairs.length,
    position_bias_p: exactSignTest(first, second),
  }
}
