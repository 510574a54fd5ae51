import type { FrozenJudge, RunReward } from '../runs/run-settings.ts'
import { composeReward, effectiveWeights } from './compose-reward.ts'
import { groupAdvantages, hasNoVariance } from './group-advantages.ts'

const term = (name: string, weight: number, required = false) => ({ name, weight, required })
const length = { type: 'length', min: 0, max: 5, weight: 1, required: false } as const
const judge = (criterionId: string, tpr: number | null): FrozenJudge => ({
  role: 'reward',
  criterionId,
  judgeModel: 'sim/judge',
  prompt: 'It is rude.',
  instrument: 1,
  trust: 'trustworthy',
  tpr,
  tnr: tpr,
  tprCi: null,
  tnrCi: null,
})

describe('a reward', () => {
  const reward: RunReward = {
    criteria: [
      { ...term('crit_a', 0.5), criterionId: 'a' },
      { ...term('crit_b', 0.25), criterionId: 'b' },
    ],
    functions: [{ ...term('length', 0.25, true), check: length }],
  }
  const values = (a: number | null, b: number | null, words: number) =>
    new Map([
      ['crit_a', a],
      ['crit_b', b],
      ['length', words],
    ])
  const weights = effectiveWeights(reward, [])

  it('is the weighted mean of its terms', () => {
    expect(composeReward(reward, weights, values(1, 0, 1))).toBeCloseTo(0.75)
    expect(composeReward(reward, weights, values(1, 1, 1))).toBe(1)
  })

  it('is 0 without a required term', () => {
    expect(composeReward(reward, weights, values(1, 1, 0))).toBe(0)
  })

  it('has terms of tools, with any value from 0 to 1', () => {
    const graded = { ...reward, tools: [{ ...term('grader', 1), toolId: 'tool_a' }] }
    const all = new Map([...values(1, 1, 1), ['grader', 0.5]])
    expect(composeReward(graded, effectiveWeights(graded, []), all)).toBeCloseTo(0.75)
  })

  it('counts a verdict that is missing as a fail', () => {
    expect(composeReward(reward, weights, values(null, 1, 1))).toBeCloseTo(0.5)
  })

  it('gives a judge with errors the weight that makes its true rate count as it was asked', () => {
    const noisy = effectiveWeights(reward, [judge('a', 0.75), judge('b', 1)])
    // A true difference of d shows as 0.5 d by the first judge.
    const [a = 0, b = 0] = ['crit_a', 'crit_b'].map((name) => noisy.get(name) ?? 0)
    expect((a * 0.5) / b).toBeCloseTo(2)
    expect([...noisy.values()].reduce((sum, weight) => sum + weight)).toBeCloseTo(1)
  })
})

describe('advantages', () => {
  const verdicts = [1, 0, 0, 1, 1, 0, 0, 0]
  const corrected = verdicts.map((verdict) => (verdict - 0.1) / 0.8)

  it('are those of the paper', () => {
    const [passed, failed] = groupAdvantages(verdicts, 'grpo')
    expect(passed).toBeCloseTo(1.290728, 5)
    expect(failed).toBeCloseTo(-0.774437, 5)
    expect(groupAdvantages(verdicts, 'dr_grpo').slice(0, 2)).toEqual([0.625, -0.375])
  })

  it('do not change by the correction of a judge, so that it protects from nothing', () => {
    const [plain, other] = [verdicts, corrected].map((rewards) => groupAdvantages(rewards, 'dapo'))
    for (const [index, value] of (plain ?? []).entries()) expect(other?.[index]).toBeCloseTo(value, 3)
  })

  it('are 0 where all answers are alike', () => {
    expect(hasNoVariance([0.5, 0.5])).toBe(true)
    expect(hasNoVariance([0.5, 0.6])).toBe(false)
    expect(groupAdvantages([1, 1, 1], 'grpo')).toEqual([0, 0, 0])
  })
})
