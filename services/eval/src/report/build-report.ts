import type { CandidateReport, EvalReport } from '@ratchet/contracts/eval-report'
import { Z_95 } from '@ratchet/stats/interval'
import { pairOutcome } from '../judging/pair-verdict.ts'
import type { MeasuredAnswer, MeasuredSample } from '../samples/measured-sample.ts'
import { answersAt, latencyDifferenceOf, modelFigures, savingsOf } from './model-figures.ts'
import { countErrors, countOutcomes, type PairedSample, pairSamples, preferencesOf } from './paired-sample.ts'
import { reportWarnings } from './report-warnings.ts'
import { lengthEffectsOf, orderEffectsOf, winRatesOf } from './win-rate-of.ts'

export interface ReportInput {
  /** Seed of the bootstrap, so that the same samples always give the same report. */
  readonly seed: string
  readonly baselineModel: string
  readonly candidateModels: readonly string[]
  /** In any order. */
  readonly samples: readonly MeasuredSample[]
  readonly judgeModel: string
}

/** Builds the report of an eval from its finished samples. */
export function buildReport({ seed, baselineModel, candidateModels, judgeModel, ...input }: ReportInput): EvalReport {
  // Sums of fractions and the bootstrap depend on the order of the samples.
  const samples = input.samples.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
  const done = samples.filter(({ pairs }) => pairs.length > 0)
  const judged = done.filter(({ pairs }) => pairs.every(({ kind }) => kind === 'judged'))
  const assertionNames = assertionNamesOf(samples.flatMap(({ answers }) => answers.filter((answer) => answer !== null)))
  const baseline = modelFigures(answersAt(samples, 0), assertionNames)
  const winRates = winRatesOf(candidateModels.map((_, place) => pairSamples(samples, place)))
  const candidates = winRates.map((winRate, place) => ({
    ...candidateReport({ place, samples, assertionNames, seed }),
    ...winRate,
  }))
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
}

function candidateReport({ place, samples, assertionNames, seed }: CandidateInput) {
  const paired = pairSamples(samples, place)
  const figures = modelFigures(answersAt(samples, place + 1), assertionNames)
  const preferences = preferencesOf(paired)
  return {
    ...figures,
    avgLatencyMs: figures.avg_latency_ms,
    ...countOutcomes(paired),
    ...countErrors(paired),
    ...orderEffectsOf(preferences),
    ...lengthEffectsOf(paired),
    samples_judged: preferences.length,
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

/** Distance from 0.5 at which the Wilson interval of that many samples without ties ends at 0.5. */
function smallestProvable(judged: number): number {
  return judged === 0 ? 0.5 : Math.min(0.5, Z_95 / (2 * Math.sqrt(judged)))
}
