import { buildReport } from './build-report.ts'
import {
  answer,
  firstTwice,
  lost,
  noAnswer,
  pairsOf,
  reportInput,
  samplesWith,
  secondTwice,
  unjudged,
  unparseable,
  won,
} from './measured-samples.fixture.ts'
import { areOneFamily } from './report-warnings.ts'

const proven = samplesWith(pairsOf({ wins: 60 }).map((pair) => [pair]))

function warningsOf(...request: Parameters<typeof reportInput>): readonly string[] {
  return buildReport(reportInput(...request)).warnings
}

describe('the warnings of a report', () => {
  it('are empty for a sound eval', () => {
    expect(warningsOf(proven)).toEqual([])
  })

  it('name an unreliable judge', () => {
    const pairs = [...Array(60).fill([won]), ...Array(30).fill([firstTwice]), ...Array(30).fill([secondTwice])]
    expect(warningsOf(samplesWith(pairs))).toEqual([expect.stringMatching(/unreliable.*openai\/gpt-5-mini.*50 %/)])
  })

  it('name a judge that prefers answers by their place', () => {
    const pairs = [...Array(350).fill([won]), ...Array(150).fill([firstTwice])]
    expect(warningsOf(samplesWith(pairs))).toEqual([expect.stringMatching(/shown first.*30 %.*openai\/gpt-5-mini/)])
  })

  it('say when length explains the win rate', () => {
    const longer = samplesWith(
      Array.from({ length: 400 }, (_, place) => [place % 5 === 0 ? lost : won]),
      (place) => ({ answers: [answer(), answer({ textLength: place % 5 === 0 ? 200 + (place % 7) : 900 + place })] }),
    )
    expect(warningsOf(longer)).toEqual([expect.stringMatching(/Length.*openai\/gpt-5-mini.*longer/)])
  })

  it.each([
    ['anthropic/claude-opus-5', ['openai/gpt-5-mini'], []],
    ['openai/gpt-6-sol', ['openai/gpt-5-mini'], []],
    ['openai/gpt-6-sol', ['google/gemini-3.5-flash'], ['openai/gpt-5']],
    ['bedrock/claude-opus-5', ['claude-haiku-4-5'], ['claude-haiku-4-5']],
  ])('name models of the family of the judge: %s and %j: %j', (judgeModel, candidateModels, own) => {
    const warnings = warningsOf(proven, { judgeModel, candidateModels })
    expect(warnings).toEqual(own.map((model) => expect.stringContaining(`family as ${model}.`)))
  })

  it('say what the samples cannot prove, when the result is inconclusive', () => {
    const undecided = samplesWith(pairsOf({ wins: 55, losses: 45 }).map((pair) => [pair]))
    expect(warningsOf(undecided)).toEqual([expect.stringMatching(/100 judged samples.*9\.8 points/)])
    expect(warningsOf([])).toHaveLength(1)
  })

  it.each([
    { question: 'not_worse', margin: 0.01, isSequential: false },
    { question: 'better', margin: null, isSequential: true },
  ] as const)('say nothing about another question, or a sequence, in terms of a win rate: %j', (more) => {
    const undecided = samplesWith(pairsOf({ wins: 55, losses: 45 }).map((pair) => [pair]))
    const asked = { ...more, candidates: 1, plannedSamples: 100 }
    const report = buildReport({ ...reportInput(undecided), asked })
    const [candidate] = Object.values(report.candidates)
    expect([candidate?.difference?.verdict, report.warnings]).toEqual(['inconclusive', []])
    expect(candidate?.fixed_size_figures.includes('segments')).toBe(more.isSequential)
  })

  it('name models with many errors, and count samples without a verdict', () => {
    const failing = samplesWith(
      proven.map((_, place) => [place < 4 ? unjudged : won]),
      (place) => (place < 4 ? { answers: [answer(), noAnswer] } : {}),
    )
    expect(warningsOf(failing)).toEqual([expect.stringMatching(/openai\/gpt-5-mini.*no answer.*6\.7 %.*\(4\)/)])
    const failed = samplesWith([[]], () => ({ id: 'failed', answers: [], pairs: [] }))
    const unread = samplesWith([[unparseable]], () => ({ id: 'unread' }))
    expect(warningsOf([...proven, ...failed, ...unread])).toEqual([
      expect.stringMatching(/1 of 62 samples failed/),
      expect.stringMatching(
        /1 of 61 samples \(1\.6 %\) has no verdict on openai\/gpt-5-mini.*1 unparseable.*very little/,
      ),
    ])
    const half = [...proven, ...samplesWith(Array(60).fill([unjudged]), (place) => ({ id: `unjudged-${place}` }))]
    expect(warningsOf(half)).toEqual([
      expect.stringMatching(/60 of 120 samples \(50 %\) have no verdict.*may not be representative/),
    ])
  })
})

describe('areOneFamily', () => {
  it.each([
    ['openai/gpt-5', 'openai/o3', true],
    ['gpt-4o', 'openrouter/openai/gpt-4o-mini', true],
    ['anthropic/claude-opus-5', 'bedrock/claude-haiku-4-5', true],
    ['groq/openai/gpt-oss-20b', 'openai/o3', true],
    ['together/Qwen/Qwen3.7-Max', 'alibaba/qwen3-max', true],
    ['bedrock/nova-pro', 'bedrock/claude-opus-5', false],
    ['openai/gpt-5', 'google/gemini-2.5-pro', false],
    ['dedicated/one', 'dedicated/two', false],
    ['logged', 'openai/gpt-5', false],
    ['', '/', false],
  ])('%s and %s: %p', (one, other, expected) => {
    expect(areOneFamily(one, other)).toBe(expected)
    expect(areOneFamily(other, one)).toBe(expected)
  })
})
