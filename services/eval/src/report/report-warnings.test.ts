import { buildReport } from './build-report.ts'
import {
  answer,
  firstTwice,
  noAnswer,
  pairsOf,
  reportInput,
  samplesWith,
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
    const unreliable = samplesWith([...Array(60).fill([won]), ...Array(60).fill([firstTwice])])
    expect(warningsOf(unreliable)).toEqual([expect.stringMatching(/unreliable.*openai\/gpt-5-mini.*50 %/)])
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

  it('name models with many errors, and count samples without a verdict', () => {
    const failing = samplesWith(
      proven.map((_, place) => [place < 4 ? unjudged : won]),
      (place) => (place < 4 ? { answers: [answer(), noAnswer] } : {}),
    )
    expect(warningsOf(failing)).toEqual([
      expect.stringMatching(/openai\/gpt-5-mini.*no answer.*6\.7 %.*\(4\)/),
      expect.stringMatching(/4 samples.*no verdict.*openai\/gpt-5-mini.*0 unparseable/),
    ])
    const failed = samplesWith([[]], () => ({ id: 'failed', answers: [], pairs: [] }))
    const unread = samplesWith([[unparseable]], () => ({ id: 'unread' }))
    expect(warningsOf([...proven, ...failed, ...unread])).toEqual([
      expect.stringMatching(/1 of 62 samples failed/),
      expect.stringMatching(/1 samples.*no verdict.*openai\/gpt-5-mini.*1 unparseable/),
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
