import type { JudgedPair, MeasuredAnswer, MeasuredSample } from '../samples/measured-sample.ts'
import type { Reported } from './build-report.ts'

export const won: JudgedPair = { kind: 'judged', looks: ['second', 'first'] }
export const lost: JudgedPair = { kind: 'judged', looks: ['first', 'second'] }
export const tied: JudgedPair = { kind: 'judged', looks: ['tie', 'tie'] }
export const firstTwice: JudgedPair = { kind: 'judged', looks: ['first', 'first'] }
export const secondTwice: JudgedPair = { kind: 'judged', looks: ['second', 'second'] }
export const unparseable: JudgedPair = { kind: 'unparseable' }
export const unjudged: JudgedPair = { kind: 'unjudged' }

export function answer(overrides: Partial<MeasuredAnswer> = {}): MeasuredAnswer {
  return { isAnswered: true, costNano: 1_000_000n, latencyMs: 100, assertions: {}, ...overrides }
}

export const noAnswer = answer({ isAnswered: false, costNano: 0n, latencyMs: null })

/** Samples with these pairs, each with a prompt of its own, unless it is said otherwise by place. */
export function samplesWith(
  pairs: readonly (readonly JudgedPair[])[],
  overrides: (place: number) => Partial<MeasuredSample> = () => ({}),
): readonly MeasuredSample[] {
  return pairs.map((own, place) => ({
    id: `sample-${String(place).padStart(6, '0')}`,
    cluster: `prompt-${place}`,
    traceId: null,
    answers: [answer(), ...own.map(() => answer())],
    pairs: own,
    ...overrides(place),
  }))
}

/** So many pairs of one candidate. */
export function pairsOf({ wins = 0, ties = 0, losses = 0 }: { wins?: number; ties?: number; losses?: number }) {
  return [
    ...Array<JudgedPair>(wins).fill(won),
    ...Array<JudgedPair>(ties).fill(tied),
    ...Array<JudgedPair>(losses).fill(lost),
  ]
}

/** An eval of one candidate, whose judge is of no family of theirs. */
export function reported(samples: readonly MeasuredSample[], overrides: Partial<Reported> = {}): Reported {
  return {
    seed: '1',
    baselineModel: 'openai/gpt-5',
    candidateModels: ['openai/gpt-5-mini'],
    judgeModel: 'anthropic/claude-opus-5',
    samples,
    ...overrides,
  }
}
