import { StartRaftRound } from '@ratchet/contracts/session-raft'
import { beatParent, curateRound, curationWarnings, holdoutRates } from './curate-round.ts'
import { distinctShare } from './distinct-share.ts'
import { nextRoundStep } from './next-round-step.ts'
import type { JudgedSample } from './round.ts'
import { accuracy } from './round-run.fixture.ts'

const judge = {
  role: 'reward',
  criterionId: 'c',
  judgeModel: 'm',
  prompt: 'p',
  instrument: 1,
  trust: 'trustworthy',
} as const
const prompts = Array.from({ length: 100 }, (_, index) => ({
  messages: [{ role: 'user', content: `Question ${index}` }],
  tools: null,
  reference: index % 2 === 0 ? `Reply ${index}` : null,
}))

/** Eight answers to each prompt, of which so many are accepted. */
function samplesWith(acceptedOf: (prompt: number) => number): readonly JudgedSample[] {
  return prompts.flatMap((_, promptIndex) =>
    Array.from({ length: 8 }, (_each, sampleIndex) => ({
      part: 'train' as const,
      promptIndex,
      sampleIndex,
      completion: { content: `The answer ${sampleIndex} to question ${promptIndex} is this.` },
      accepted: sampleIndex < acceptedOf(promptIndex),
    })),
  )
}

function curate(samples: readonly JudgedSample[], request: object = {}, firstDistinct: number | null = null) {
  const asked = { baseModel: 'm', datasetId: 'd', criterionId: 'c', maxCostUsd: 1, minPrecision: 0.5, ...request }
  const settings = { request: StartRaftRound.parse(asked), seed: 1, prompts: prompts.length }
  return curateRound({
    round: { id: 'r', settings, judges: [{ ...judge, ...accuracy }] },
    prompts,
    samples,
    firstDistinct,
  })
}

describe('curation', () => {
  it('leaves out prompts with one lucky answer, and those that every answer passed', () => {
    const passes = [0, 1, 2, 7, 8]
    const samples = samplesWith((prompt) => passes[prompt % 5] ?? 0)
    const { curation, examples } = curate(samples, { realDataPct: 0 })
    expect(curation).toMatchObject({ promptsAllFail: 20, promptsAllPass: 20, kept: 40, real: 0 })
    expect(examples[0]).toEqual({
      messages: [
        { role: 'user', content: 'Question 2' },
        { role: 'assistant', content: 'The answer 0 to question 2 is this.' },
      ],
    })
    expect(curate(samples, { realDataPct: 0, dropAllPass: false }).curation.kept).toBe(60)
    expect(curate(samples, { realDataPct: 0, minPassesPerPrompt: 1 }).curation.kept).toBe(60)
    expect(curate(samples, { realDataPct: 0, keep: 'all_passing' }).curation.kept).toBe(20 * 2 + 20 * 7)
    expect(curate(samples, { realDataPct: 0, keep: 'top_k', keepPerPrompt: 3 }).curation.kept).toBe(20 * 2 + 20 * 3)
  })

  it('mixes in replies of the dataset, and says when there are too few', () => {
    const samples = samplesWith(() => 6)
    expect(curate(samples, { realDataPct: 20 }).curation).toMatchObject({ kept: 100, real: 25 })
    const { curation } = curate(samples, { realDataPct: 50 })
    expect(curation).toMatchObject({ kept: 100, real: 50 })
    expect([...curationWarnings(curation, 50)]).toEqual(['The dataset has only 50 replies to mix in.'])
  })

  it.each([
    ['precision_too_low', samplesWith((prompt) => (prompt % 5 === 0 ? 6 : 0)), { minPrecision: 0.85 }],
    ['no_answers_accepted', samplesWith(() => 0), {}],
    ['too_few_examples', samplesWith((prompt) => (prompt < 80 ? 8 : prompt < 85 ? 6 : 0)), { realDataPct: 0 }],
    [
      'sampling_failed',
      samplesWith(() => 6).map((sample, index) => ({ ...sample, accepted: index % 3 === 0 ? true : null })),
      {},
    ],
  ])('fails with %s', (code, samples, request) => {
    expect(curate(samples, request).failure?.code).toBe(code)
  })

  it('stops a chain whose answers have become alike', () => {
    const samples = samplesWith(() => 6)
    const { distinct, distinctRatio } = curate(samples).curation
    expect(distinctRatio).toBe(1)
    const { curation } = curate(samples, {}, (distinct ?? 0) / 0.65)
    expect([...curationWarnings(curation, 10)]).toEqual(['The answers are less varied than those of the first round.'])
    expect(curate(samples, {}, (distinct ?? 0) / 0.4).failure?.code).toBe('answers_too_alike')
  })
})

it('measures how varied answers are within each prompt', () => {
  expect(distinctShare([['one two three', 'one two three']])).toBe(0.5)
  expect(distinctShare([['one two three'], ['one two three']])).toBe(1)
  expect(distinctShare([['too short']])).toBeNull()
})

describe('held out prompts', () => {
  const part = (passes: number) =>
    Array.from({ length: 40 }, (_, promptIndex) =>
      Array.from({ length: 4 }, (_each, sampleIndex) => ({
        part: 'before' as const,
        promptIndex,
        sampleIndex,
        completion: {},
        accepted: sampleIndex < passes + (promptIndex % 2),
      })),
    ).flat()

  it('show a gain with its interval', () => {
    const rates = holdoutRates(part(1), part(3))
    expect(rates).toMatchObject({ before: 0.375, after: 0.875 })
    expect(rates?.ci[0]).toBeGreaterThan(0.4)
    expect(beatParent({ holdout: rates, modelVersionId: 'v' })).toBe(true)
    expect(beatParent({ holdout: holdoutRates(part(3), part(1)), modelVersionId: 'v' })).toBe(false)
    expect(beatParent({ holdout: null, modelVersionId: 'v' })).toBe(false)
  })

  it('show nothing when they were not asked after the training', () => {
    expect(holdoutRates(part(1), [])).toBeNull()
  })
})

it.each([
  ['sampling', { asked: 3, answered: 1, job: null }, { kind: 'sample' }],
  ['sampling', { asked: 0, answered: 9, job: null }, { kind: 'advance', to: 'judging' }],
  ['judging', { asked: 0, answered: 9, job: null }, { kind: 'judge' }],
  ['judging', { asked: 0, answered: 0, job: null }, { kind: 'advance', to: 'curating' }],
  ['curating', { asked: 0, answered: 0, job: null }, { kind: 'curate' }],
  ['training', { asked: 0, answered: 0, job: null }, { kind: 'start_job' }],
  ['training', { asked: 0, answered: 0, job: 'running' }, { kind: 'wait', message: null }],
  ['training', { asked: 0, answered: 0, job: 'succeeded' }, { kind: 'begin_evaluation' }],
  ['evaluating', { asked: 4, answered: 0, job: 'succeeded' }, { kind: 'sample' }],
  ['evaluating', { asked: 0, answered: 0, job: 'succeeded' }, { kind: 'finish' }],
] as const)('in %s with %j comes %j', (stage, world, step) => {
  expect(nextRoundStep(stage, world)).toEqual(step)
})

it('fails with its job', () => {
  const world = { asked: 0, answered: 0, job: 'failed' } as const
  expect(nextRoundStep('training', world)).toMatchObject({ kind: 'fail', code: 'training_failed' })
})
