import type { Script } from './scripted-server.ts'

const at = '2026-11-18T10:00:00.000Z'

const run = {
  id: 'grpo_1',
  object: 'grpo.run',
  name: 'Polite answers',
  status: 'awaiting_adoption',
  phase: null,
  waiting_for: null,
  paused_reason: null,
  status_message: null,
  base_model: 'sim/small',
  warm_start_from: null,
  environment: null,
  eval_id: null,
  dataset_id: 'ds_1',
  eval_dataset_id: null,
  prompts: { train: 400, guard: 64, proof: 64 },
  reward: {
    criteria: [{ criterion_id: 'crit_1', weight: 0.8, required: false }],
    functions: [{ type: 'length', name: 'length', min: 0, max: 200, weight: 0.2, required: false }],
    tools: [],
  },
  holdout: {
    criterion_id: null,
    judge_model: 'other/judge',
    every_steps: 20,
    prompts: 64,
    margin: 0.05,
    action: 'pause',
  },
  human_audit: { sample: 30 },
  hyperparameters: {
    group_size: 8,
    prompts_per_step: 16,
    max_steps: 40,
    learning_rate: 0.00001,
    kl_beta: 0.02,
    lora_rank: 16,
    lora_alpha: 16,
    temperature: 1,
    top_p: 1,
    max_output_tokens: 1_024,
    max_context_length: 8_192,
    loss_method: 'dapo',
    mask_truncated: true,
    importance_cap: 2,
    resample_zero_variance: 2,
    checkpoint_every_steps: 10,
  },
  stop_on_reward_plateau: null,
  trainer: 'sim',
  seed: 7,
  progress: { step: 40, total_steps: 40 },
  reward_baseline: 0.42,
  reward_current: 0.71,
  guard: { verdict: 'healthy', looks: 3, last_step: 40 },
  judges_at_start: [
    {
      criterion_id: 'crit_1',
      judge_model: 'sim/judge',
      role: 'reward',
      trust: 'trustworthy',
      tpr: 0.96,
      tnr: 0.97,
      tpr_ci: [0.92, 0.99],
      tnr_ci: [0.94, 0.99],
      instrument: 1,
    },
    {
      criterion_id: 'crit_1',
      judge_model: 'other/judge',
      role: 'holdout',
      trust: 'under-measured',
      tpr: null,
      tnr: null,
      tpr_ci: null,
      tnr_ci: null,
      instrument: 1,
    },
  ],
  best_step: 40,
  model_version_id: 'mv_1',
  model: 'sim/small:polite',
  stopped_early: null,
  attempts: 1,
  estimated_cost_usd: 2.4,
  held_usd: 0,
  cost_usd: 1.2,
  judge_cost_usd: 0.64,
  max_cost_usd: 5,
  warnings: ['The hold-out judge is not proven.'],
  error: null,
  metadata: { team: 'support' },
  created_by: '00000000-0000-7000-8000-000000000001',
  created_at: at,
  started_at: at,
  finished_at: at,
}

const diverging = {
  ...run,
  id: 'grpo_2',
  name: 'Short answers',
  status: 'paused',
  paused_reason: 'reward_diverged',
  status_message: 'At step 20 the reward gained at least 7 points that the hold-out judge does not see.',
  progress: { step: 20, total_steps: 40 },
  guard: { verdict: 'diverging', looks: 2, last_step: 20 },
  model_version_id: null,
  model: null,
  attempts: 0,
  warnings: [],
  finished_at: null,
}

const steps = Array.from({ length: 40 }, (_, index) => {
  const mean = 0.42 + 0.007 * index
  return {
    step: index + 1,
    at,
    state: 'durable',
    reward_mean: mean,
    reward_ci: [mean - 0.05, mean + 0.05],
    reward_std: 0.21,
    zero_variance_groups: index % 5,
    resampled_groups: 1,
    kl: 0.0004 * index,
    entropy: 1.2,
    clip_ratio: 0.02,
    completion_length_mean: 180 - index,
    truncated_ratio: 0.01,
    logprob_gap_mean: 0.001,
    logprob_gap_max: 0.02,
    adapter_version: index,
    sampled_tokens: 23_000,
    trained_tokens: 21_000,
    judge_cost_usd: 0.016,
    terms: { crit_1: mean, length: 1 },
  }
})

const look = (step: number, rate: number) => ({
  step,
  at,
  reward_mean: rate,
  train_judge: { rate, ci: [rate - 0.08, rate + 0.08] },
  holdout_judge: { rate: rate - 0.02, ci: [rate - 0.1, rate + 0.06] },
  gap: step === 0 ? null : { estimate: 0.01, lower: -0.06 },
  holdout_gain: step === 0 ? null : { estimate: rate - 0.42, upper: rate - 0.32 },
  human: step === 40 ? { graded: 12, false_pass: 1, upper: 0.34 } : null,
  verdict: step === 0 ? 'collecting' : 'healthy',
})

const guard = {
  object: 'grpo.guard',
  run_id: 'grpo_1',
  verdict: 'healthy',
  action: 'pause',
  margin: 0.05,
  planned_looks: 3,
  prompts: 64,
  samples_per_prompt: 4,
  best_step: 40,
  looks: [look(0, 0.42), look(20, 0.58), look(40, 0.71)],
}

const messages = [{ role: 'user', content: 'Where is my parcel?' }]

const rollout = (n: number, reward: number) => ({
  object: 'grpo.rollout',
  id: `roll_${n}`,
  kind: 'step',
  step: 40,
  group: 1,
  prompt_index: 1,
  messages,
  completion: [{ role: 'assistant', content: `It is on its way, answer ${n}.` }],
  reward,
  terms: { crit_1: reward, length: 1 },
  verdicts: [
    {
      criterion_id: 'crit_1',
      judge_model: 'sim/judge',
      role: 'reward',
      verdict: 'pass',
      explanation: 'It answers the question.',
    },
    { criterion_id: 'crit_1', judge_model: 'other/judge', role: 'holdout', verdict: null, explanation: null },
  ],
  advantage: 0.8,
  tokens: 141,
  truncated: false,
  adapter_version: 39,
})

const audited = (n: number) => ({
  rollout_id: `roll_${n}`,
  messages,
  completion: [{ role: 'assistant', content: `Audited answer ${n}.` }],
  grade: null,
})

const runs = '/api/w/demo/v1/grpo/runs'
const page = { total: 2, limit: 100, offset: 0, has_more: false }
const audit = { object: 'list', run_id: 'grpo_1', step: 40, graded: 0, false_pass: 0, upper: null }

/** A run that waits for a decision, and one that the guard has paused. */
export const grpoScript: Script = {
  [`GET ${runs}`]: { runs: [diverging, run], candidates_waiting: 1, active: 0, queued: 0, ...page },
  [`POST ${runs}/estimate`]: {
    object: 'grpo.estimate',
    sampling_usd: 0.9,
    training_usd: 0.6,
    judging_usd: 0.7,
    guard_usd: 0.2,
    total_usd: 2.4,
    hold_usd: 1.9,
    estimated_seconds: 1_800,
    looks: 3,
    prompts: run.prompts,
    warnings: ['Nobody but people can show that the reward is exploited.'],
  },
  [`GET ${runs}/grpo_1`]: run,
  [`GET ${runs}/grpo_2`]: diverging,
  [`GET ${runs}/grpo_1/steps`]: { object: 'list', data: steps },
  [`GET ${runs}/grpo_2/steps`]: { object: 'list', data: [] },
  [`GET ${runs}/grpo_1/guard`]: guard,
  [`GET ${runs}/grpo_2/guard`]: { ...guard, run_id: 'grpo_2', verdict: 'diverging', looks: [] },
  [`GET ${runs}/grpo_1/rollouts`]: { object: 'list', data: [rollout(1, 0.9)], ...page, limit: 1, has_more: true },
  [`GET ${runs}/grpo_1/audit`]: { ...audit, data: [audited(1), audited(2)] },
}
