import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { clusteredWinRate } from '@ratchet/stats/clustered-win-rate'
import { exactSignTest } from '@ratchet/stats/exact-sign-test'
import { samplesToExcludeHalf } from '@ratchet/stats/samples-to-exclude-half'
import { type PairwiseCounts, type WinRate, winRate } from '@ratchet/stats/win-rate'
import { countOutcomes, type PairedSample } from './paired-sample.ts'

type WinRateFigures = Pick<
  CandidateReport,
  'winRate' | 'win_rate' | 'win_rate_ci' | 'sign_test_p' | 'inconclusive' | 'samples_needed'
>

/** How often a candidate is preferred, and how sure that is. */
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

/** Each cluster counts once, for whoever won more of it. */
function signTest(clusters: readonly PairwiseCounts[]): number {
  const won = clusters.filter(({ wins, losses }) => wins > losses).length
  const lost = clusters.filter(({ wins, losses }) => losses > wins).length
  return exactSignTest(won, lost)
}

/** Of clusters it takes more by as much as they tell less; without that it could be fewer than were judged. */
function samplesNeeded({ winRate: rate, effectiveTrials }: WinRate, clustered: number | null): number | null {
  const needed = samplesToExcludeHalf(rate)
  return needed === null || clustered === null ? needed : Math.ceil((needed * clustered) / effectiveTrials)
}
