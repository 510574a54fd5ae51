import type { CandidateCalibration, Preferred } from '@ratchet/contracts/eval-preferences'
import { clampInterval, UNIT } from '@ratchet/stats/interval'
import { type GradedStratum, stratifiedMean } from '@ratchet/stats/stratified-mean'
import { wilsonInterval } from '@ratchet/stats/wilson-interval'
import { effectiveScale, scoreOf } from '../report/difference-of.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import type { CurrentPreference } from './preference.ts'

type Estimates = Omit<CandidateCalibration, 'win_rate' | 'win_rate_ci'>
type Score = -1 | 0 | 1

/** Minimum preferences of each outcome of the judge, or all samples when it has fewer. */
const minGrades = 5

const scores = { baseline: -1, tie: 0, candidate: 1 } as const satisfies Readonly<Record<Preferred, Score>>

/**
 * Compares the judge with people about the candidate at this place. Outcomes of the judge are strata: people may grade more
 * losses than wins without a bias, and its errors are estimated for each outcome.
 */
export function calibrateJudge(
  samples: readonly MeasuredSample[],
  preferences: readonly CurrentPreference[],
  place: number,
): Estimates {
  const humans = humanScores(preferences.filter(({ candidateIndex }) => candidateIndex === place + 1))
  const scored = samples.flatMap((sample) => {
    const judge = scoreOf(sample, place)
    if (judge === null) return []
    // The model without an answer has lost, and there was nothing to judge.
    const isMissing = [0, place + 1].some((model) => sample.answers[model]?.isAnswered === false)
    return [{ cluster: sample.cluster, judge, isMissing, human: isMissing ? null : (humans.get(sample.id) ?? null) }]
  })
  const strata = ([1, 0, -1] as const).map((outcome) => {
    const own = scored.filter(({ judge, isMissing }) => judge === outcome && !isMissing)
    return { outcome, count: own.length, grades: own.flatMap(({ human }) => (human === null ? [] : [human])) }
  })
  const [win, tie, loss] = strata.map(({ count, grades }) => Math.max(0, Math.min(minGrades, count) - grades.length))
  const needed = { win: win ?? 0, tie: tie ?? 0, loss: loss ?? 0 }
  const graded = strata.reduce((sum, { grades }) => sum + grades.length, 0)
  const none = { accuracy: null, accuracy_ci: null, corrected_win_rate: null, corrected_win_rate_ci: null }
  if (needed.win + needed.tie + needed.loss > 0) return { graded, grades_needed: needed, ...none }
  const missing = ([1, -1] as const).map((outcome) => ({
    count: scored.filter(({ judge, isMissing }) => isMissing && judge === outcome).length,
    grades: [outcome],
    isCertain: true,
  }))
  const clusters = [...Map.groupBy(scored, ({ cluster }) => cluster).values()].map((own) =>
    own.map(({ judge }) => judge),
  )
  const corrected = correctedFigures([...strata, ...missing], clusters)
  return { graded, grades_needed: needed, ...accuracyOf(strata), ...corrected }
}

/** The preference of most graders by sample; without a majority there is none. */
function humanScores(preferences: readonly CurrentPreference[]): ReadonlyMap<string, Score> {
  const byPlace = Map.groupBy(preferences, ({ place }) => place)
  return new Map(
    [...byPlace].flatMap(([place, own]) => {
      const majority = (['baseline', 'tie', 'candidate'] as const).find(
        (each) => own.filter(({ preferred }) => preferred === each).length > own.length / 2,
      )
      return majority === undefined ? [] : [[place, scores[majority]] as const]
    }),
  )
}

type Stratum = GradedStratum & { readonly outcome: Score }

/** The effective number of grades is the smaller one of two estimates, so that the interval is not too narrow. */
function accuracyOf(strata: readonly Stratum[]): Pick<Estimates, 'accuracy' | 'accuracy_ci'> {
  const filled = strata.filter(({ count }) => count > 0)
  const total = filled.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return { accuracy: null, accuracy_ci: null }
  const parts = filled.map(({ outcome, count, grades }) => {
    const agreed = grades.filter((grade) => grade === outcome).length
    const smoothed = (agreed + 0.5) / (grades.length + 1)
    return {
      share: count / total,
      n: grades.length,
      rate: agreed / grades.length,
      variance: smoothed * (1 - smoothed),
    }
  })
  const accuracy = parts.reduce((sum, { share, rate }) => sum + share * rate, 0)
  const byWeights = 1 / parts.reduce((sum, { share, n }) => sum + share ** 2 / n, 0)
  const error = parts.reduce((sum, { share, n, variance }) => sum + (share ** 2 * variance) / n, 0)
  const spread = accuracy * (1 - accuracy)
  const effective = spread === 0 ? byWeights : Math.min(byWeights, spread / error)
  const interval = wilsonInterval(accuracy * effective, effective)
  return { accuracy, accuracy_ci: interval === null ? null : [interval.low, interval.high] }
}

/** Samples of one prompt or run are not independent, so the error grows as it does for the judge's own outcomes. */
function correctedFigures(
  strata: readonly GradedStratum[],
  clusters: readonly (readonly number[])[],
): Pick<Estimates, 'corrected_win_rate' | 'corrected_win_rate_ci'> {
  const found = stratifiedMean(strata)
  if (found === null) return { corrected_win_rate: null, corrected_win_rate_ci: null }
  const widening = 1 / Math.sqrt(effectiveScale(clusters))
  const inUnit = (difference: number) => (1 + difference) / 2
  const { low, high } = clampInterval(
    {
      low: inUnit(found.mean - (found.mean - found.interval.low) * widening),
      high: inUnit(found.mean + (found.interval.high - found.mean) * widening),
    },
    UNIT,
  )
  return { corrected_win_rate: inUnit(found.mean), corrected_win_rate_ci: [low, high] }
}
