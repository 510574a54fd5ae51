import { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { AttemptSettings } from '../attempts/attempt.ts'

export interface NewTestJob {
  readonly settings?: AttemptSettings
  readonly seed?: number
  readonly maxCostNano?: bigint
  /** Name of its trainer; `sim` by default. */
  readonly trainer?: string
  readonly workspaceId?: string
  /** Data that a worker has to read first, which fails with an error. Absent: it is read, and the job is queued. */
  readonly data?: Buffer | Error
}

/** What such a job was asked for. */
export const jobRequest = CreateFineTuningJob.parse({ model: 'sim/base', datasetId: 'ds_' })

/** Creates a job of tests, with its maximum cost and what it holds. */
export const createStatement = `
  INSERT INTO training_job (id, workspace_id, status, base_model, method, trainer, seed, request, settings, dataset_id,
    train_sha256, price_nano_per_mtok, total_tokens, estimated_cost_nano, max_cost_nano, held_nano, hold_number, total_steps,
    created_by, created_at)
  VALUES ($1, $2, $11::training_job_status, 'sim/base', 'supervised', $13, $3, $12, $4, $1, $5, $6, $7, $9, $8, $9, 1, $10, $2, now())`
