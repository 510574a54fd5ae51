import type { CandidateReport, EvalReport } from '@ratchet/contracts/eval-report'
import { nanoToUsd } from '@ratchet/contracts/money'
import { smallestProvable } from '@ratchet/stats/smallest-provable'
import { pairOutcome } from '../judging/pair-verdict.ts'
import type { MeasuredAnswer, MeasuredSample } from '../samples/measured-sample.ts'
import { type AskedQuestion, differenceOf, widenedBy } from './difference-of.ts'
import { answersAt, latencyDifferenceOf, modelFigures, savingsOf } from './model-figures.ts'
import { countErrors, countOutcomes, type PairedSample, pairSamples, preferencesOf } from './paired-sample.ts'
import { panelOf } from './panel-of.ts'
import { reportWarnings } from './report-warnings.ts'
import { segmentsOf, segmentWarnings } from './segments-of.ts'
import { fixedSizeFigures, sequentialFigures } from './sequential-figures.ts'
import { lengthEffectsOf, orderEffectsOf, winRatesOf } from './win-rate-of.ts'

export interface ReportInput {
  /** Seed of the bootstrap, so that the same samples always give the same report. */
  readonly seed: string
  readonly baselineModel: string
  readonly candidateModels: readonly string[]
  /** In any order. */
  readonly samples: readonly MeasuredSample[]
  readonly judgeModel: string
  /** A better candidate in a fixed number of samples when absent. */
  readonly asked?: AskedQuestion
  /** The judges of a panel with their cost; only `judgeModel` when absent. */
  readonly judges?: readonly { readonly model: string; readonly costNano: bigint }[]
  /** Samples that were not needed; 0 when absent. */
  readonly skipped?: number
}

/** Builds the report of an eval from its finished samples. */
export function buildReport({ seed, baselineModel, candidateModels, judgeModel, ...input }: ReportInput): EvalReport {
  // Sums of fractions and the bootstrap depend on the order of the samples.
  const samples = input.samples.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
  const done = samples.filter(({ pairs }) => pairs.length > 0)
  const judged = done.filter(({ pairs }) => pairs.every(({ kind }) => kind === 'judged'))
  const assertionNames = assertionNamesOf(samples.flatMap(({ answers }) => answers.filter((answer) => answer !== null)))
  const baseline = modelFigures(answersAt(samples, 0), assertionNames)
  const asked = input.asked ?? plainQuestion(candidateModels.length, samples.length)
  const judges = input.judges ?? [{ model: judgeModel, costNano: 0n }]
  const judgeModels = judges.map(({ model }) => model)
  const winRates = winRatesOf(candidateModels.map((_, place) => pairSamples(samples, place)))
  const candidates = winRates.map((winRate, place) => {
    const candidate = candidateReport({ place, samples, assertionNames, seed, asked, judges: judgeModels })
    if (asked.isSequential) {
      return { ...candidate, ...sequentialFigures(candidate.difference), fixed_size_figures: [...fixedSizeFigures] }
    }
    return {
      ...candidate,
      ...winRate,
      fixed_size_figures: [],
      difference: widenedBy(candidate.difference, winRate.win_rate_ci),
    }
  })
  const report = {
    samples_total: samples.length,
    samples_judged: judged.length,
    samples_failed: samples.length - done.length,
    samples_skipped: input.skipped ?? 0,
    judges: judges.map(({ model, costNano }) => ({ model, cost_usd: nanoToUsd(costNano) })),
    baseline: { model: baselineModel, ...baseline },
    candidates: Object.fromEntries(candidates.map((candidate, place) => [candidateModels[place], candidate])),
    multiplicity: candidateModels.length > 1 ? ('holm' as const) : null,
    smallest_provable: smallestProvable(new Set(judged.map(({ cluster }) => cluster)).size),
  }
  const segments = candidates.map(
    (candidate, place) => [candidateModels[place] ?? '', candidate.segments ?? null] as const,
  )
  return { ...report, warnings: [...reportWarnings({ report, judgeModel }), ...segmentWarnings(segments)] }
}

function plainQuestion(candidates: number, plannedSamples: number): AskedQuestion {
  return { question: 'better', margin: null, isSequential: false, candidates, plannedSamples }
}

/** In order of first appearance. */
function assertionNamesOf(answers: readonly MeasuredAnswer[]): readonly string[] {
  return [...new Set(answers.flatMap(({ assertions }) => Object.keys(assertions)))]
}

interface CandidateInput {
  /** Index among the candidates. */
  readonly place: number
  readonly samples: readonly MeasuredSample[]
  readonly assertionNames: readonly string[]
  readonly seed: string
  readonly asked: AskedQuestion
  readonly judges: readonly string[]
}

function candidateReport({ place, samples, assertionNames, seed, asked, judges }: CandidateInput) {
  const paired = pairSamples(samples, place)
  const figures = modelFigures(answersAt(samples, place + 1), assertionNames)
  const preferences = preferencesOf(paired)
  const difference = differenceOf(samples, place, asked)
  return {
    ...figures,
    avgLatencyMs: figures.avg_latency_ms,
    difference,
    panel: panelOf(samples, place, judges),
    segments: segmentsOf(samples, place),
    ...countOutcomes(paired),
    ...countErrors(paired),
    ...orderEffectsOf(preferences),
    ...lengthEffectsOf(paired),
    samples_judged: countKind(paired, 'judged'),
    unparseable: countKind(paired, 'unparseable'),
    unjudged: countKind(paired, 'unjudged'),
    ...savingsOf(paired, seed),
    ...latencyDifferenceOf(paired),
    ...countRuns(samples, place),
  }
}

function countKind(samples: readonly PairedSample[], kind: PairedSample['pair']['kind']): number {
  return samples.filter(({ pair }) => pair.kind === kind).length
}

/** Result of one step of an agent run. A step without a verdict is unknown; that is not the candidate's fault. */
type Step = 'passed' | 'lost' | 'unknown'

/**
 * Counts the agent runs whose steps are all known for this candidate, and those of them without a lost step. A step that
 * the candidate did not answer is lost, because a run cannot continue from there.
 */
function countRuns(
  samples: readonly MeasuredSample[],
  place: number,
): Pick<CandidateReport, 'runs_total' | 'runs_clean'> {
  const steps = samples.flatMap((sample) =>
    sample.traceId === null ? [] : [{ traceId: sample.traceId, step: stepOf(sample, place) }],
  )
  const runs = [...Map.groupBy(steps, ({ traceId }) => traceId).values()]
  const known = runs.filter((run) => run.every(({ step }) => step !== 'unknown'))
  const clean = known.filter((run) => run.every(({ step }) => step === 'passed'))
  return { runs_total: known.length, runs_clean: clean.length }
}

function stepOf({ answers, pairs }: MeasuredSample, place: number): Step {
  const pair = pairs[place]
  if (pair === undefined) return 'unknown'
  if (answers[place + 1]?.isAnswered === false) return 'lost'
  if (pair.kind !== 'judged') return 'unknown'
  return pairOutcome(pair) === 'loss' ? 'lost' : 'passed'
}
