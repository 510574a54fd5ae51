import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { TrainingJob } from './job.ts'
import type { JobStore } from './job-store.ts'

/** @throws ServiceError `not_found`, also for a job of another workspace */
export async function requireJob(
  jobs: Pick<JobStore, 'get'>,
  { workspaceId }: Identity,
  publicId: string,
  param = 'id',
): Promise<TrainingJob> {
  const id = uuidOf('fineTuningJob', publicId)
  const job = id === null ? null : await jobs.get({ workspaceId, id })
  if (job === null) throw notFound('fine-tuning job', param)
  return job
}
