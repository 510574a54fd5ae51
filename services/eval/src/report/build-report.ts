import type { CandidateReport, EvalReport } from '@ratchet/contracts/eval-report'
import { holmAdjust } from '@ratchet/stats/holm-adjust'
import { Z_95 } from '@ratchet/stats/interval'
import type { MeasuredAnswer, MeasuredSample } from '../samples/measured-sample.ts'
import { candidateReport } from './candidate-report.ts'
import { answersAt, modelFigures } from './model-figures.ts'
import { reportWarnings } from './report-warnings.ts'

export interface Reported {
  /** Seeds what is drawn, so that a report never changes. */
  readonly seed: string
  readonly baselineModel: string
  readonly candidateModels: readonly string[]
  /** In any order. */
  readonly samples: readonly MeasuredSample[]
  readonly judgeModel: string
}

/** What an eval found, of the samples that are over. */
export function buildReport({ seed, baselineModel, candidateModels, judgeModel, ...reported }: Reported): EvalReport {
  // Sums of fractions and what is drawn depend on the order.
  const samples = reported.samples.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
  const done = samples.filter(({ pairs }) => pairs.length > 0)
  const judged = done.filter(({ pairs }) => pairs.every(({ kind }) => kind === 'judged'))
  const assertionNames = namesOf(samples.flatMap(({ answers }) => answers.filter((answer) => answer !== null)))
  const baseline = modelFigures(answersAt(samples, 0), assertionNames)
  const candidates = adjust(
    candidateModels.map((_, place) => candidateReport({ place, samples, assertionNames, seed })),
  )
  const report = {
    samples_total: samples.length,
    samples_judged: judged.length,
    samples_failed: samples.length - done.length,
    baseline: { model: baselineModel, ...baseline },
    candidates: Object.fromEntries(candidates.map((candidate, place) => [candidateModels[place], candidate])),
    multiplicity: candidateModels.length > 1 ? ('holm' as const) : null,
    smallest_provable: smallestProvable(new Set(judged.map(({ cluster }) => cluster)).size),
  }
  return { ...report, warnings: reportWarnings({ report, judgeModel }) }
}

/** In the order in which they are met. */
function namesOf(answers: readonly MeasuredAnswer[]): readonly string[] {
  return [...new Set(answers.flatMap(({ assertions }) => Object.keys(assertions)))]
}

/** Every candidate with a p-value is a comparison more that could come out by chance. */
function adjust(candidates: readonly Omit<CandidateReport, 'sign_test_p_holm'>[]): readonly CandidateReport[] {
  const tested = candidates.filter(({ sign_test_p: p }) => p !== null)
  const adjusted = holmAdjust(tested.flatMap(({ sign_test_p: p }) => p ?? []))
  return candidates.map((candidate) => ({
    ...candidate,
    sign_test_p_holm: adjusted[tested.indexOf(candidate)] ?? null,
  }))
}

/** Distance from 0.5 at which Wilson's interval of so many samples without ties ends at 0.5. */
function smallestProvable(judged: number): number {
  return judged === 0 ? 0.5 : Math.min(0.5, Z_95 / (2 * Math.sqrt(judged)))
}
