import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { isOverQuota } from '@ratchet/work-kit/storage/within-quota'
import type { ArtifactRows } from '../artifacts/artifact-rows.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { type ReadJobDataDeps, readJobData, type StoredExamples } from '../data/read-job-data.ts'
import { type AdvanceDeps, endJob } from './advance-job.ts'
import type { DrivenJob } from './driver-store.ts'

export interface StoreDataDeps extends ReadJobDataDeps, Pick<AdvanceDeps, 'store' | 'note'> {
  readonly artifacts: Pick<ArtifactStore, 'put'>
  readonly artifactRows: Pick<ArtifactRows, 'add' | 'refer'>
}

/**
 * Reads the data of a job and stores what trainers read, or fails the job. Done again, it stores the same.
 *
 * @throws ServiceError `service_unavailable` when the data cannot be read now
 */
export async function storeData(deps: StoreDataDeps, job: DrivenJob): Promise<void> {
  if (!(await deps.store.beginReading(job))) return
  const data = await readJobData(deps, job, workerIdentity(job.workspaceId, job.createdBy))
  if (data.kind === 'bad') {
    const { message, param, report } = data
    const error = { code: 'invalid_training_data', message }
    return await endJob(deps, job, { status: 'failed', error, stoppedEarly: null, param, report })
  }
  const { training, validation, report, settings, datasetSha256, totalTokens, estimatedCostNano, roots } = data
  try {
    await store(deps, job, training)
    if (validation !== null) await store(deps, job, validation)
  } catch (cause) {
    if (!isOverQuota(cause)) throw cause
    return await endJob(deps, job, { status: 'failed', error: overQuota, stoppedEarly: null, report })
  }
  const hashes = { datasetSha256, trainSha256: training.sha256, validSha256: validation?.sha256 ?? null }
  const isStored = await deps.store.setData(job, { report, settings, totalTokens, estimatedCostNano, roots, ...hashes })
  if (isStored) for (const warning of data.warnings) await deps.note(job, warning)
}

const overQuota = {
  code: 'quota_exceeded',
  message:
    'The workspace stores as many bytes as it may. Delete files or datasets. The examples of a job count until a day after they were read, and as long as the job lasts.',
}

async function store({ artifacts, artifactRows }: StoreDataDeps, job: DrivenJob, { sha256, bytes }: StoredExamples) {
  const content = { sha256, bytes: bytes.length }
  await artifactRows.add([content])
  await artifactRows.refer(job, [content])
  await artifacts.put(content, bytes)
}
