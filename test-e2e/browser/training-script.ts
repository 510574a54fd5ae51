import type { Script } from './scripted-server.ts'

const at = 1_795_000_000
const later = at + 600

const report = {
  examples: 1_240,
  used: 1_120,
  validation: 62,
  too_long: 41,
  empty: 2,
  invalid: 0,
  first_invalid: null,
  duplicates: 15,
  leaked_from_eval: 0,
  tokens: 243_180,
  p50_tokens: 196,
  p95_tokens: 702,
  stop_token_trained: null,
  template_sha256: null,
}

const hyperparameters = {
  n_epochs: 2,
  batch_size: 11,
  learning_rate: 2e-4,
  lora_rank: 32,
  lora_alpha: 32,
  beta: null,
  max_sequence_length: 8_192,
  on_too_long: 'drop',
}

const running = {
  id: 'ftjob-1',
  object: 'fine_tuning.job',
  created_at: at,
  finished_at: null,
  model: 'sim/small',
  fine_tuned_model: null,
  model_version_id: null,
  warm_start_from: null,
  after_eval_id: null,
  organization_id: '00000000-0000-7000-8000-000000000001',
  status: 'running',
  phase: 'training',
  waiting_for: null,
  training_file: null,
  validation_file: null,
  dataset_id: 'ds_1',
  dataset_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  eval_dataset_id: 'ds_2',
  method: { type: 'supervised', supervised: { hyperparameters } },
  hyperparameters: { n_epochs: 'auto', batch_size: 'auto', learning_rate_multiplier: 'auto' },
  training: 'lora',
  trainer: 'sim',
  suffix: 'support',
  seed: 7,
  trained_tokens: 243_180,
  result_files: ['file-1'],
  progress: { step: 128, total_steps: 204, epoch: 1.25 },
  attempts: 1,
  data_report: report,
  training_tokens: 486_360,
  tokens_exact: true,
  estimated_finish: later,
  estimated_cost_usd: 0.486_36,
  held_usd: 0.316_134,
  cost_usd: 0.243_18,
  max_cost_usd: 1,
  stopped_early: null,
  error: null,
  integrations: [],
  metadata: { team: 'support' },
}

const queued = {
  ...running,
  id: 'ftjob-2',
  status: 'queued',
  phase: null,
  waiting_for: 'gpu',
  suffix: null,
  method: { type: 'dpo', dpo: { hyperparameters: null } },
  trained_tokens: null,
  progress: { step: 0, total_steps: null, epoch: 0 },
  attempts: 0,
  data_report: null,
  tokens_exact: false,
  estimated_finish: null,
  cost_usd: 0,
  max_cost_usd: null,
  metadata: null,
}

const failed = {
  ...running,
  id: 'ftjob-3',
  status: 'failed',
  phase: null,
  finished_at: later,
  estimated_finish: null,
  held_usd: 0,
  error: { code: 'diverged', message: 'The loss is not a number since step 3. Lower the learning rate.', param: null },
}

const loss = (step: number) => 0.3 + 2.2 * Math.exp((-3 * step) / 204) + 0.03 * Math.sin(step * 1.7)

const metrics = Array.from({ length: 128 }, (_, index) => ({
  step: index + 1,
  at: '2026-11-18T12:26:40.000Z',
  values: { train_loss: loss(index + 1) },
}))

const checkpoint = (step: number) => ({
  object: 'fine_tuning.job.checkpoint',
  id: `ftckpt-${step}`,
  created_at: at + step,
  step_number: step,
  fine_tuned_model_checkpoint: null,
  model_version_id: null,
  fine_tuning_job_id: 'ftjob-1',
  metrics: { step, train_loss: loss(step), valid_loss: 1.05 * loss(step) + 0.02 },
  trained_tokens: step * 2_384,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  size_bytes: 41_204,
})

const event = (seq: number, message: string, fields: object = {}) => ({
  object: 'fine_tuning.job.event',
  id: `ftevent-${seq}`,
  created_at: at + seq,
  level: 'info',
  type: 'message',
  message,
  data: null,
  ...fields,
})

const events = [
  event(6, 'The training goes on after step 102.'),
  event(5, 'The trainer was lost. The job goes on at its last checkpoint.', { level: 'warn' }),
  event(4, 'Checkpoint of step 102 stored.'),
  event(3, 'Step 100: train_loss 0.81', { type: 'metrics', data: { step: 100 } }),
  event(2, 'The training begins.'),
  event(1, 'Job created. At most $0.559314 are held.'),
]

const model = (id: string, fields: object = {}) => ({
  id,
  object: 'trainable_model',
  methods: ['supervised', 'dpo', 'grpo'],
  trainers: ['sim'],
  max_context: 32_768,
  lora_ranks: [8, 16, 32, 64],
  full: true,
  supports_tools: true,
  chat_template_sha256: null,
  license: 'apache-2.0',
  pricing: { supervised_per_mtok: 1, dpo_per_mtok: 2.5, grpo_train_per_mtok: null, grpo_sample_per_mtok: null },
  served_by: ['pool', 'dedicated'],
  retires_at: null,
  capacity: { gpus_total: 2, gpus_free: 1, queue_length: 0, estimated_wait_seconds: 0 },
  ...fields,
})

const estimate = {
  object: 'fine_tuning.estimate',
  training_tokens: 486_360,
  tokens_exact: false,
  estimated_cost_usd: 0.486_36,
  hold_usd: 0.559_314,
  estimated_seconds: 320,
  queue_seconds: 0,
  examples: 1_120,
  data_report: report,
  warnings: ['41 examples are too long and are left out.'],
}

const file = {
  id: 'file-1',
  object: 'file',
  bytes: 402_113,
  created_at: at,
  filename: 'pairs.jsonl',
  purpose: 'fine-tune',
  status: 'processed',
}

const api = '/api/w/demo/v1'
const jobs = `${api}/fine_tuning/jobs`

/** Fine-tuning jobs that run, wait and failed, and what can be trained. */
export const trainingScript: Script = {
  [`GET ${jobs}`]: { object: 'list', data: [queued, running, failed], has_more: false },
  [`GET ${jobs}/ftjob-1`]: running,
  [`GET ${jobs}/ftjob-1/metrics`]: { object: 'list', data: metrics },
  [`GET ${jobs}/ftjob-1/checkpoints`]: {
    object: 'list',
    data: [checkpoint(102), checkpoint(51)],
    first_id: 'ftckpt-102',
    last_id: 'ftckpt-51',
    has_more: false,
  },
  [`GET ${jobs}/ftjob-1/events`]: { object: 'list', data: events, has_more: false },
  [`POST ${jobs}/estimate`]: estimate,
  [`GET ${api}/fine_tuning/models`]: [
    model('sim/small'),
    model('sim/tiny', {
      methods: ['supervised'],
      full: false,
      pricing: { supervised_per_mtok: 0.5, dpo_per_mtok: null, grpo_train_per_mtok: null, grpo_sample_per_mtok: null },
    }),
  ],
  [`GET ${api}/files`]: [file],
}
