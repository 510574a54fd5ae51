import type { JudgedPair } from '../judging/pair-verdict.ts'
import type { MeasuredAnswer, MeasuredSample } from '../samples/measured-sample.ts'
import { buildReport, type ReportInput } from './build-report.ts'

export const won: JudgedPair = { kind: 'judged', preferences: ['second', 'first'] }
export const lost: JudgedPair = { kind: 'judged', preferences: ['first', 'second'] }
export const tied: JudgedPair = { kind: 'judged', preferences: ['tie', 'tie'] }
export const firstTwice: JudgedPair = { kind: 'judged', preferences: ['first', 'first'] }
export const secondTwice: JudgedPair = { kind: 'judged', preferences: ['second', 'second'] }
export const unparseable: JudgedPair = { kind: 'unparseable' }
export const unjudged: JudgedPair = { kind: 'unjudged' }

export function answer(overrides: Partial<MeasuredAnswer> = {}): MeasuredAnswer {
  return { isAnswered: true, costNano: 1_000_000n, latencyMs: 100, textLength: 500, assertions: {}, ...overrides }
}

export const noAnswer = answer({ isAnswered: false, costNano: 0n, latencyMs: null, textLength: null })

/** Samples with these pairs, each with its own prompt; overrides by index. */
export function samplesWith(
  pairs: readonly (readonly JudgedPair[])[],
  overrides: (place: number) => Partial<MeasuredSample> = () => ({}),
): readonly MeasuredSample[] {
  return pairs.map((own, place) => ({
    id: `sample-${String(place).padStart(6, '0')}`,
    cluster: `prompt-${place}`,
    traceId: null,
    segment: null,
    isFinished: true,
    answers: [answer(), ...own.map(() => answer())],
    pairs: own,
    ...overrides(place),
  }))
}

/** Pairs of one candidate with these counts. */
export function pairsOf({ wins = 0, ties = 0, losses = 0 }: { wins?: number; ties?: number; losses?: number }) {
  return [
    ...Array<JudgedPair>(wins).fill(won),
    ...Array<JudgedPair>(ties).fill(tied),
    ...Array<JudgedPair>(losses).fill(lost),
  ]
}

/** An eval of one candidate with a judge of another family. */
export function reportInput(samples: readonly MeasuredSample[], overrides: Partial<ReportInput> = {}): ReportInput {
  return {
    seed: '1',
    baselineModel: 'openai/gpt-5',
    candidateModels: ['openai/gpt-5-mini'],
    judgeModel: 'anthropic/claude-opus-5',
    samples,
    ...overrides,
  }
}

/** The report of the only candidate of an eval. */
export function candidateOf(samples: readonly MeasuredSample[]) {
  const candidate = buildReport(reportInput(samples)).candidates['openai/gpt-5-mini']
  if (candidate === undefined) throw new Error('The report has no such candidate.')
  return candidate
}

/** Samples of one candidate with these counts. */
export function samplesOf(counts: Parameters<typeof pairsOf>[0]): readonly MeasuredSample[] {
  return samplesWith(pairsOf(counts).map((pair) => [pair]))
}
