import type { FineTuningHyperparameters, FineTuningJob } from '@ratchet/contracts/fine-tuning'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import type { TrainingJob } from './job.ts'
import { requestedOf } from './resolve-settings.ts'

/** A job as the API shows it. */
export function jobReply(job: TrainingJob, now: Date): FineTuningJob {
  const { status, request, step, totalSteps, epoch } = job
  const isRead = job.dataReport !== null
  const version = status === 'succeeded' ? job.version : null
  return {
    id: publicId('fineTuningJob', job.id),
    object: 'fine_tuning.job',
    created_at: secondsOf(job.createdAt),
    finished_at: job.finishedAt === null ? null : secondsOf(job.finishedAt),
    model: job.baseModel,
    fine_tuned_model: version?.name ?? null,
    model_version_id: version === null ? null : publicId('modelVersion', version.id),
    warm_start_from: job.warmStartId === null ? null : publicId('modelVersion', job.warmStartId),
    organization_id: job.workspaceId,
    status,
    phase: status === 'running' ? job.phase : null,
    waiting_for: job.waitingFor,
    training_file: idOf('file', job.trainingFile),
    validation_file: idOf('file', job.validationFile),
    dataset_id: idOf('dataset', job.datasetId),
    dataset_sha256: job.datasetSha256,
    eval_dataset_id: idOf('dataset', job.evalDatasetId),
    method: { type: job.method, [job.method]: { hyperparameters: isRead ? hyperparametersOf(job) : null } },
    hyperparameters: requestedSettings(job),
    training: request.training,
    trainer: job.trainer,
    after_eval_id: job.afterEvalId,
    suffix: request.suffix ?? null,
    seed: job.seed,
    trained_tokens: job.durableTokens === null ? null : Number(job.durableTokens),
    result_files: job.resultFile === null ? [] : [publicId('file', job.resultFile)],
    progress: { step, total_steps: totalSteps, epoch },
    attempts: job.lostAttempts,
    data_report: job.dataReport,
    training_tokens: Number(job.totalTokens),
    tokens_exact: job.tokensExact,
    estimated_finish: finishOf(job, now),
    estimated_cost_usd: nanoToUsd(job.estimatedCostNano),
    held_usd: nanoToUsd(job.heldNano),
    cost_usd: nanoToUsd(job.costNano),
    max_cost_usd: job.maxCostNano === null ? null : nanoToUsd(job.maxCostNano),
    stopped_early: job.stoppedEarly,
    error: job.error,
    integrations: [],
    metadata: request.metadata ?? null,
  }
}

export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000)
}

function idOf(kind: 'file' | 'dataset', uuid: string | null): string | null {
  return uuid === null ? null : publicId(kind, uuid)
}

function hyperparametersOf({ settings }: TrainingJob): FineTuningHyperparameters {
  const { early_stopping_patience: _patience, ...shown } = settings.hyperparameters
  return shown
}

function requestedSettings({ request }: TrainingJob): FineTuningJob['hyperparameters'] {
  const { nEpochs, batchSize, learningRateMultiplier } = requestedOf(request)
  return {
    n_epochs: nEpochs ?? 'auto',
    batch_size: batchSize ?? 'auto',
    learning_rate_multiplier: learningRateMultiplier ?? 'auto',
  }
}

/** At the pace of the steps that the present trainer has done: pauses and what was done before them say nothing. */
function finishOf({ status, run, step, totalSteps }: TrainingJob, now: Date): number | null {
  if (status !== 'running' || run === null || totalSteps === null || step <= run.fromStep) return null
  const passedMs = now.getTime() - run.since.getTime()
  return secondsOf(new Date(now.getTime() + (passedMs * (totalSteps - step)) / (step - run.fromStep)))
}
