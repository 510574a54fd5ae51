import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { PoolClient } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { CompletedCheckpoint } from '../attempts/attempt.ts'
import type { JobSettings } from '../jobs/job.ts'
import type { VersionProducer } from './model-version.ts'
import { createCandidateVersion } from './pg-create-version.ts'

interface JobOf {
  readonly jobId: string
  readonly workspaceId: string
}

/** Makes a durable checkpoint of a fine-tuning job a version, in the transaction in which it becomes durable. */
export async function createCheckpointVersion(
  client: PoolClient,
  { jobId, workspaceId }: JobOf,
  { id, step, files, metrics, servedAs }: CompletedCheckpoint,
): Promise<void> {
  const { rows } = await client.query<JobRow>(jobStatement, [workspaceId, jobId])
  const [job] = rows
  if (job === undefined) throw new Error('A checkpoint has no job.')
  // Of a GRPO run only the best checkpoint becomes a version, when the run is over.
  if (job.method === 'grpo') return
  const { hyperparameters } = JSON.parse(job.settings) as JobSettings
  await createCandidateVersion(client, {
    id,
    workspaceId,
    baseModel: job.base_model,
    suffix: (JSON.parse(job.request) as CreateFineTuningJob).suffix ?? null,
    producedBy: producerOf(job, jobId),
    jobId,
    step,
    parentId: job.warm_start_id,
    datasetId: job.dataset_id,
    files,
    adapterRank: hyperparameters.lora_rank,
    metrics,
    servedAs,
    createdBy: job.created_by,
  })
}

const jobStatement = `
  SELECT method, base_model, request, settings, warm_start_id, producer_kind, producer_id, dataset_id, created_by FROM training_job
  WHERE workspace_id = $1 AND id = $2`

type JobRow = Pick<
  Row<'trainingJob', { settings: string; producer_kind: 'grpo' | 'raft' | null }>,
  | 'method'
  | 'base_model'
  | 'request'
  | 'settings'
  | 'warm_start_id'
  | 'producer_kind'
  | 'producer_id'
  | 'dataset_id'
  | 'created_by'
>

function producerOf({ producer_kind: type, producer_id: id }: JobRow, jobId: string): VersionProducer {
  return type === null || id === null ? { type: 'fine_tuning', id: jobId } : { type, id }
}
