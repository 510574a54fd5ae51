import type { GrpoStep } from '@ratchet/contracts/grpo-progress'
import { stepSentence } from '../../../pictures/step-sentence.ts'
import { lastFigures, stepCharts } from './step-charts.ts'

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
  ])
})

it('has nothing to compare with before the first look, and no figures before the first step', () => {
  const [reward] = stepCharts({ ...run, reward_baseline: null }, [])
  expect(reward && stepSentence(reward)).toBe('Mean reward: not measured yet.')
  expect(lastFigures([])).toEqual([])
  expect(lastFigures([step({ entropy: 1.25 })])).toContainEqual(['Entropy', '1.3'])
})
