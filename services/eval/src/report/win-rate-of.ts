import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { exactSignTest } from '@ratchet/stats/exact-sign-test'
import { holmAdjust } from '@ratchet/stats/holm-adjust'
import { lengthControlledWinRate } from '@ratchet/stats/length-controlled-win-rate'
import { samplesToExcludeHalf } from '@ratchet/stats/samples-to-exclude-half'
import { normalQuantile } from '@ratchet/stats/special/normal-quantile'
import { clusteredSignTest, testedWinRate, winRatePValue } from '@ratchet/stats/tested-win-rate'
import type { PairwiseCounts, WinRate } from '@ratchet/stats/win-rate'
import { isConsistent, type Preference } from '../judging/pair-verdict.ts'
import { countByCluster, outcomeOf, type PairedSample } from './paired-sample.ts'

/** What a report says of a win rate. */
export type WinRateFigures = Pick<
  CandidateReport,
  | 'winRate'
  | 'win_rate'
  | 'win_rate_ci'
  | 'sign_test_p'
  | 'sign_test_p_holm'
  | 'p_value'
  | 'inconclusive'
  | 'samples_needed'
>

/** Error rate of all statements about the candidates of one eval together. */
const familyLevel = 0.05

/**
 * The win rates of all candidates with intervals and p-values that agree: Holm's correction adjusts the p-values, and each
 * interval is at the level at which it excludes 0.5 exactly when the adjusted p-value is at most 0.05.
 *
 * @param candidates the samples of each candidate
 */
export function winRatesOf(candidates: readonly (readonly PairedSample[])[]): readonly WinRateFigures[] {
  const tested = candidates.map((samples) => countByCluster(samples))
  const pValues = tested.map(winRatePValue)
  const adjusted = holmOf(pValues)
  const signTests = tested.map((clusters, place) => (pValues[place] === null ? null : clusteredSignTest(clusters)))
  const adjustedSignTests = holmOf(signTests)
  return tested.map((clusters, place) => {
    const [p, adjustedP] = [pValues[place] ?? null, adjusted[place] ?? null]
    const level = p === null || adjustedP === null ? familyLevel : levelOf(p, adjustedP, candidates.length)
    return {
      ...winRateFigures(clusters, level),
      sign_test_p: signTests[place] ?? null,
      sign_test_p_holm: adjustedSignTests[place] ?? null,
      p_value: adjustedP,
    }
  })
}

/** Every candidate with a p-value is one more comparison that can succeed by chance. */
function holmOf(pValues: readonly (number | null)[]): readonly (number | null)[] {
  const adjusted = holmAdjust(pValues.filter((p) => p !== null))
  let next = 0
  return pValues.map((p) => (p === null ? null : (adjusted[next++] ?? null)))
}

/** The level at which an interval excludes 0.5 exactly when the adjusted p-value is at most `familyLevel`. */
function levelOf(p: number, adjustedP: number, candidates: number): number {
  return p === 0 ? familyLevel / candidates : (familyLevel * p) / adjustedP
}

type Estimated = Omit<WinRateFigures, 'sign_test_p' | 'sign_test_p_holm' | 'p_value'>

function winRateFigures(clusters: readonly PairwiseCounts[], level: number): Estimated {
  const estimate = testedWinRate(clusters, normalQuantile(1 - level / 2))
  if (estimate === null) {
    return { winRate: null, win_rate: null, win_rate_ci: null, inconclusive: true, samples_needed: null }
  }
  const { winRate: rate, interval, inconclusive } = estimate
  const samples = clusters.reduce((sum, { wins, ties, losses }) => sum + wins + ties + losses, 0)
  const isClustered = clusters.some(({ wins, ties, losses }) => wins + ties + losses > 1)
  return {
    winRate: rate,
    win_rate: rate,
    win_rate_ci: [interval.low, interval.high],
    inconclusive,
    samples_needed: inconclusive ? samplesNeeded(estimate, isClustered ? samples : null) : null,
  }
}

/** Samples in clusters carry less information, so more of them are needed than of independent samples. */
function samplesNeeded({ winRate: rate, effectiveTrials }: WinRate, clustered: number | null): number | null {
  const needed = samplesToExcludeHalf(rate)
  return needed === null || clustered === null ? needed : Math.ceil((needed * clustered) / effectiveTrials)
}

type OrderEffects = Pick<
  CandidateReport,
  'inconsistent' | 'consistency_rate' | 'judge_unreliable' | 'position_bias' | 'position_bias_p' | 'judge_biased'
>

/** Minimum share of pairs for which the judge prefers the same answer in both orders. Below it the judge is reported as unreliable. */
const minConsistency = 0.6
/** Smallest position bias for which a judge is reported as biased, when chance gives it less often than `maxBiasP`. */
const minBias = 0.1
const maxBiasP = 0.01

/** Consistency and position bias of the judge over the two orders. A tie in both orders is consistent. */
export function orderEffectsOf(pairs: readonly (readonly [Preference, Preference])[]): OrderEffects {
  const consistent = pairs.filter(isConsistent).length
  const inconsistent = pairs.length - consistent
  if (pairs.length === 0) {
    const unknown = { consistency_rate: null, position_bias: null, position_bias_p: null }
    return { inconsistent, ...unknown, judge_unreliable: false, judge_biased: false }
  }
  const favoured = (place: Preference) =>
    pairs.filter((preferences) => preferences.every((preference) => preference === place)).length
  const [first, second] = [favoured('first'), favoured('second')]
  const bias = (first - second) / pairs.length
  const biasP = exactSignTest(first, second)
  return {
    inconsistent,
    consistency_rate: consistent / pairs.length,
    judge_unreliable: consistent / pairs.length < minConsistency,
    position_bias: bias,
    position_bias_p: biasP,
    judge_biased: Math.abs(bias) >= minBias && biasP < maxBiasP,
  }
}

type LengthFigures = Pick<CandidateReport, 'length_diff' | 'length_controlled_win_rate' | 'length_controlled_ci'>

const scores = { win: 1, tie: 0.5, loss: 0 } as const

/** The influence of length, over the judged samples where both lengths are known. */
export function lengthEffectsOf(samples: readonly PairedSample[]): LengthFigures {
  const sized = samples.flatMap((sample) => {
    const { cluster, baseline, candidate } = sample
    const outcome = outcomeOf(sample)
    if (outcome === 'error' || baseline.textLength === null || candidate.textLength === null) return []
    return [{ cluster, score: scores[outcome], lengthDifference: candidate.textLength - baseline.textLength }]
  })
  const controlled = lengthControlledWinRate(sized)
  const total = sized.reduce((sum, { lengthDifference }) => sum + lengthDifference, 0)
  return {
    length_diff: sized.length === 0 ? null : total / sized.length,
    length_controlled_win_rate: controlled?.winRate ?? null,
    length_controlled_ci: controlled === null ? null : [controlled.interval.low, controlled.interval.high],
  }
}
