import type { Script } from './scripted-server.ts'

const at = '2026-11-18T10:00:00.000Z'

const done = {
  id: 'raft_1',
  object: 'raft.round',
  name: 'support',
  status: 'done',
  status_message: null,
  base_model: 'sim/small',
  start_model: 'sim/small',
  start_version_id: null,
  chain_id: 'raft_1',
  round_index: 0,
  previous_round_id: null,
  criterion_id: 'crit_1',
  criterion_trust: 'trustworthy',
  second_criterion_id: 'crit_2',
  source_dataset_id: 'ds_1',
  filters: null,
  prompts: 200,
  samples_per_prompt: 8,
  generated: 1_600,
  accepted: 1_020,
  acceptance_rate: 0.6375,
  prompts_all_fail: 12,
  prompts_all_pass: 31,
  precision_estimate: 0.97,
  precision_ci: [0.93, 0.99],
  min_precision: 0.85,
  distinct_ratio: 1,
  kept_examples: 151,
  real_examples: 17,
  dataset_id: 'ds_1',
  fine_tuning_job_id: 'ftjob-1',
  model_version_id: 'mv_1',
  eval_id: 'eval_1',
  holdout_pass_rate: { before: 0.64, after: 0.78, ci: [0.09, 0.19] },
  warnings: ['The dataset has only 17 replies to mix in.'],
  max_cost_usd: 5,
  cost_usd: 1.84,
  created_by: '00000000-0000-7000-8000-000000000001',
  created_at: at,
  finished_at: at,
}

const failed = {
  ...done,
  id: 'raft_2',
  name: null,
  status: 'failed',
  status_message: 'Perhaps only 41 % of the accepted answers are right, less than `minPrecision` (85 %).',
  accepted: 288,
  acceptance_rate: 0.18,
  precision_estimate: 0.5,
  precision_ci: [0.41, 0.6],
  kept_examples: 0,
  real_examples: 0,
  dataset_id: null,
  fine_tuning_job_id: null,
  model_version_id: null,
  eval_id: null,
  holdout_pass_rate: null,
  warnings: [],
}

const audited = (n: number) => ({
  rollout_id: `roll_${n}`,
  messages: [{ role: 'user', content: 'Where is my parcel?' }],
  completion: [{ role: 'assistant', content: `Audited answer ${n}.` }],
  grade: null,
})

const audit = { object: 'list', round_id: 'raft_1', graded: 0, false_pass: 0, upper: null }
const rounds = '/api/w/demo/v1/raft/rounds'
const page = { total: 2, limit: 100, offset: 0, has_more: false }

/** A round that made a model better, and one that trained on nothing. */
export const raftScript: Script = {
  [`GET ${rounds}`]: { object: 'list', data: [failed, done], ...page },
  [`GET ${rounds}/raft_1`]: done,
  [`GET ${rounds}/raft_1/audit`]: { ...audit, data: [audited(1), audited(2)] },
  [`GET ${rounds}/raft_2`]: failed,
}
