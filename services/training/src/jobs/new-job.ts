import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { Identity } from '@ratchet/contracts/identity'
import type { NewJob } from './job.ts'
import type { PreparedJob } from './prepare-job.ts'

interface Ordered {
  readonly id: string
  readonly identity: Identity
  readonly request: CreateFineTuningJob
  readonly seed: number
  readonly createdAt: Date
}

/** A job that was checked. */
export function newJobOf(prepared: PreparedJob, { id, identity, request, seed, createdAt }: Ordered): NewJob {
  const { training, validation, settings } = prepared
  const isFile = request.trainingFile != null
  return {
    id,
    workspaceId: identity.workspaceId,
    baseModel: prepared.model.id,
    method: request.method.type,
    trainer: prepared.trainer,
    seed,
    request,
    settings,
    datasetId: isFile ? null : training.uuid,
    trainingFile: isFile ? training.uuid : null,
    evalDatasetId: validation?.kind === 'dataset' ? validation.uuid : null,
    validationFile: validation?.kind === 'file' ? validation.uuid : null,
    priceNanoPerMtok: prepared.priceNanoPerMtok,
    totalTokens: BigInt(settings.plan.total_tokens),
    estimatedCostNano: prepared.estimatedCostNano,
    maxCostNano: prepared.maxCostNano,
    heldNano: prepared.holdNano,
    warmStartId: prepared.warmStart?.id ?? null,
    createdBy: identity.userId,
    createdAt,
  }
}
