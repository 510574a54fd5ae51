import { buildReport } from './build-report.ts'
import {
  answer,
  firstTwice,
  noAnswer,
  pairsOf,
  reported,
  samplesWith,
  unjudged,
  unparseable,
  won,
} from './measured-samples.fixture.ts'
import { areOneFamily } from './model-family.ts'

const proven = samplesWith(pairsOf({ wins: 60 }).map((pair) => [pair]))

function warningsOf(...request: Parameters<typeof reported>): readonly string[] {
  return buildReport(reported(...request)).warnings
}

describe('the warnings of a report', () => {
  it('are none when nothing is to be said', () => {
    expect(warningsOf(proven)).toEqual([])
  })

  it('tell of a judge that is unreliable', () => {
    const unreliable = samplesWith([...Array(60).fill([won]), ...Array(60).fill([firstTwice])])
    expect(warningsOf(unreliable)).toEqual([
      'The judge is unreliable for openai/gpt-5-mini: it said the same in both orders of 50 % of the pairs only.',
    ])
  })

  it.each([
    ['anthropic/claude-opus-5', ['openai/gpt-5-mini'], []],
    ['openai/gpt-6-sol', ['openai/gpt-5-mini'], []],
    ['openai/gpt-6-sol', ['google/gemini-3.5-flash'], ['openai/gpt-5']],
    ['bedrock/claude-opus-5', ['claude-haiku-4-5'], ['claude-haiku-4-5']],
  ])('tell of the judge %s and the candidates %j: %j', (judgeModel, candidateModels, own) => {
    const warnings = warningsOf(proven, { judgeModel, candidateModels })
    expect(warnings).toEqual(own.map((model) => expect.stringContaining(`family of ${model},`)))
  })

  it('tell what so many samples cannot prove, when they did not', () => {
    const undecided = samplesWith(pairsOf({ wins: 55, losses: 45 }).map((pair) => [pair]))
    expect(warningsOf(undecided)).toEqual([
      '100 judged samples cannot prove a win rate that is less than 9.8 points from 50 %, unless there are many ties.',
    ])
    expect(warningsOf([])).toEqual(['No sample has a verdict on every candidate.'])
  })

  it('tell of models that often failed, and of samples without a verdict', () => {
    const failing = samplesWith(
      proven.map((_, place) => [place < 4 ? unjudged : won]),
      (place) => (place < 4 ? { answers: [answer(), noAnswer] } : {}),
    )
    expect(warningsOf(failing)).toEqual([
      'openai/gpt-5-mini gave no answer to 6.7 % of the prompts (4), which no win rate counts.',
      '4 samples have no verdict on openai/gpt-5-mini (0 unreadable) and do not count.',
    ])
    const failed = samplesWith([[]], () => ({ id: 'failed', answers: [], pairs: [] }))
    const unread = samplesWith([[unparseable]], () => ({ id: 'unread' }))
    expect(warningsOf([...proven, ...failed, ...unread])).toEqual([
      '1 of 62 samples could not be done at all.',
      '1 samples have no verdict on openai/gpt-5-mini (1 unreadable) and do not count.',
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
