import type { GrpoStep } from '@ratchet/contracts/grpo-progress'
import { stepSentence } from '../../../pictures/step-sentence.ts'
import { alarmLines, lastFigures, stepCharts } from './step-charts.ts'

const step = (more: Partial<GrpoStep>): GrpoStep => ({
  step: 1,
  at: '2026-11-30T00:00:00.000Z',
  state: 'durable',
  reward_mean: 0.42,
  reward_ci: [0.38, 0.46],
  reward_std: 0.2,
  zero_variance_groups: 3,
  resampled_groups: 1,
  kl: null,
  entropy: null,
  clip_ratio: null,
  completion_length_mean: 120.4,
  truncated_ratio: 0,
  tool_calls_per_rollout: null,
  tool_failure_ratio: null,
  logprob_gap_mean: null,
  logprob_gap_max: null,
  adapter_version: 0,
  replayed: false,
  sampled_tokens: 1_000,
  trained_tokens: null,
  judge_cost_usd: 0,
  terms: {},
  duplicate_ratio: 0,
  top_term: null,
  alarms: [],
  ...more,
})

const run = { reward_baseline: 0.4, progress: { step: 2, total_steps: 200 } }

it('says of each figure how it went, and leaves out steps without it', () => {
  const steps = [step({}), step({ step: 2, reward_mean: 0.5, reward_ci: [0.45, 0.55], kl: 0.0123 })]
  expect(stepCharts(run, steps).map(stepSentence)).toEqual([
    'Mean reward over 2 of 200 steps: from 0.42 to 0.50, between 0.45 and 0.55; before training 0.40.',
    'Divergence (KL) over 2 of 200 steps: 0.012.',
    'Groups whose answers all have the same reward over 2 of 200 steps: from 3 to 3.',
    'Tokens of an answer over 2 of 200 steps: from 120 to 120.',
    'Entropy: not measured yet.',
    'Answers that are the same over 2 of 200 steps: from 0 % to 0 %.',
  ])
})

it('has nothing to compare with before the first look, and no figures before the first step', () => {
  const [reward] = stepCharts({ ...run, reward_baseline: null }, [])
  expect(reward && stepSentence(reward)).toBe('Mean reward: not measured yet.')
  expect(lastFigures([])).toEqual([])
  expect(lastFigures([step({ entropy: 1.25 })])).toContainEqual(['Entropy', '1.3'])
})

it('says which steps raised an alarm', () => {
  const steps = [step({}), step({ step: 2, alarms: ['duplicates'] }), step({ step: 7, alarms: ['duplicates'] })]
  expect(alarmLines(steps)).toEqual([
    'Over 30 % of the answers are the same as another one to their prompt: steps 2, 7.',
  ])
  const many = Array.from({ length: 9 }, (_, index) => step({ step: index + 1, alarms: ['one_term', 'length_drift'] }))
  expect(alarmLines(many)).toEqual([
    'Answers are over twice or under half as long as at the start: 9 steps from 1 to 9.',
    'One term gives over 90 % of the variance of the reward: 9 steps from 1 to 9.',
  ])
  expect(alarmLines([])).toEqual([])
})
