import type { FineTuningEstimate, FineTuningJob } from '@ratchet/contracts/fine-tuning'

export const jobId = 'ftjob-019aa5f08a0770008000000000000001'
/** The time at which the clock of a test begins. */
const createdAt = Date.parse('2026-11-21T12:00:00.000Z') / 1_000

const report = {
  examples: 120,
  used: 110,
  validation: 10,
  too_long: 2,
  empty: 0,
  invalid: 8,
  first_invalid: { line: 3, message: 'There is no answer.' },
  duplicates: 0,
  leaked_from_eval: 0,
  tokens: 4_000,
  p50_tokens: 30,
  p95_tokens: 90,
  stop_token_trained: null,
  template_sha256: null,
}

/** A job that runs, with changes. */
export function jobWith(changes: Partial<FineTuningJob> = {}): FineTuningJob {
  return {
    id: jobId,
    object: 'fine_tuning.job',
    created_at: createdAt,
    finished_at: null,
    model: 'sim/trainable',
    fine_tuned_model: null,
    model_version_id: null,
    warm_start_from: null,
    after_eval_id: null,
    organization_id: '019aa5f08a0770008000000000000002',
    status: 'running',
    phase: 'training',
    waiting_for: null,
    training_file: null,
    validation_file: null,
    dataset_id: 'ds_1',
    dataset_sha256: null,
    eval_dataset_id: null,
    method: { type: 'supervised', supervised: { hyperparameters: null } },
    hyperparameters: { n_epochs: 'auto', batch_size: 'auto', learning_rate_multiplier: 'auto' },
    training: 'lora',
    trainer: 'sim',
    suffix: null,
    seed: 7,
    trained_tokens: 4_000,
    result_files: [],
    progress: { step: 10, total_steps: 40, epoch: 1 },
    attempts: 0,
    data_report: report,
    training_tokens: 12_000,
    tokens_exact: true,
    estimated_finish: null,
    estimated_cost_usd: 0.036,
    held_usd: 0.0414,
    cost_usd: 0.012,
    max_cost_usd: null,
    stopped_early: null,
    error: null,
    integrations: [],
    metadata: null,
    ...changes,
  }
}

/** A job that succeeded, with changes. */
export function doneJob(changes: Partial<FineTuningJob> = {}): FineTuningJob {
  return jobWith({
    status: 'succeeded',
    phase: null,
    finished_at: createdAt + 90,
    progress: { step: 40, total_steps: 40, epoch: 3 },
    trained_tokens: 12_000,
    cost_usd: 0.036,
    held_usd: 0,
    ...changes,
  })
}

export function estimateWith(changes: Partial<FineTuningEstimate> = {}): FineTuningEstimate {
  return {
    object: 'fine_tuning.estimate',
    training_tokens: 12_000,
    tokens_exact: true,
    estimated_cost_usd: 0.036,
    hold_usd: 0.0414,
    estimated_seconds: 125,
    queue_seconds: null,
    examples: 110,
    data_report: report,
    warnings: [],
    ...changes,
  }
}
