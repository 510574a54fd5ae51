import { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'

/** What such a job was asked for. */
export const jobRequest = CreateFineTuningJob.parse({ model: 'sim/base', datasetId: 'ds_' })

/** Creates a job of tests, with its maximum cost and what it holds. */
export const createStatement = `
  INSERT INTO training_job (id, workspace_id, status, base_model, method, trainer, seed, request, settings, dataset_id,
    train_sha256, price_nano_per_mtok, total_tokens, estimated_cost_nano, max_cost_nano, held_nano, hold_number, total_steps,
    created_by, created_at)
  VALUES ($1, $2, $11::training_job_status, 'sim/base', 'supervised', $13, $3, $12, $4, $1, $5, $6, $7, $9, $8, $9, 1, $10, $2, now())`
