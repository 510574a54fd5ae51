import { PlanEval } from '@ratchet/contracts/eval-plan'
import { evalRequest } from '../runs/eval.fixture.ts'
import { planEval } from './plan-eval.ts'
import { sampleTimeMs } from './recent-latencies.ts'
import { samplesForQuestion, sequentialSamples } from './samples-for-question.ts'

const better = { question: 'better', margin: null, winRate: 0.6, tieRate: 0, candidates: 1 } as const
const notWorse = { question: 'not_worse', margin: 0.05, winRate: 0.5, tieRate: 0.8, candidates: 1 } as const

describe('the samples that a question needs', () => {
  it('follow from the distance to what is to be excluded, and shrink with ties', () => {
    // (1.96 · 1 + 0.8416 · √(1 − 0.2²))² / 0.2²
    expect(samplesForQuestion(better)).toBe(194)
    expect(samplesForQuestion({ ...better, tieRate: 0.5 })!).toBeLessThan(100)
    // (1.96 · √(0.2 − 0.05²) + 0.8416 · √0.2)² / 0.05²
    expect(samplesForQuestion(notWorse)).toBe(623)
  })

  it('are null when no number proves it', () => {
    expect(samplesForQuestion({ ...better, winRate: 0.5 })).toBeNull()
    expect(samplesForQuestion({ ...notWorse, winRate: 0.47 })).toBeNull()
    expect(sequentialSamples({ ...better, winRate: 0.5 }, 100)).toBeNull()
  })

  it('are at least what a verdict needs', () => {
    expect(samplesForQuestion({ ...better, winRate: 1 })).toBe(20)
    expect(sequentialSamples({ ...better, winRate: 1 }, 100)).toBe(50)
  })

  it('are more for a sequence, and more for several candidates', () => {
    const one = sequentialSamples(better, 100)!
    expect(one).toBeGreaterThan(194)
    expect(sequentialSamples({ ...better, candidates: 3 }, 100)!).toBeGreaterThan(one)
  })
})

it('plans calls, cost and time of an eval and of its question', () => {
  const request = PlanEval.parse({ ...evalRequest({ sample_count: 100 }), expected: { win_rate: 0.6, tie_rate: 0 } })
  expect(planEval({ request, prompts: 100, judges: 1, costUsd: 2, sampleMs: 6_000 })).toEqual({
    question: 'better',
    margin: null,
    expected_win_rate: 0.6,
    expected_tie_rate: 0,
    samples_needed: 194,
    samples_needed_sequential: expect.any(Number),
    answered_by_this_eval: false,
    model_calls: 200,
    judge_calls: 200,
    cost_usd: 2,
    cost_usd_needed: 3.88,
    minutes: 0.7,
    minutes_needed: 1.3,
  })
})

it('takes the slowest answer and the slowest judge for the time of a sample', () => {
  const latencies = new Map([
    ['a', 1_000],
    ['b', 3_000],
  ])
  expect(sampleTimeMs(latencies, { answering: ['a', 'b'], judging: ['unknown'] })).toBe(5_000)
  expect(sampleTimeMs(new Map(), { answering: ['a'], judging: ['b'] })).toBeNull()
})
