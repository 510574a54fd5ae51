import {
  type CreateFineTuningJob,
  defaultSequenceLength,
  type FineTuningMethod,
} from '@ratchet/contracts/fine-tuning-body'
import type { FineTuningMethodName } from '@ratchet/contracts/fine-tuning-models'
import type { BaseModel } from '../trainable-models/trainable-model.ts'
import type { JobHyperparameters, JobPlan } from './job.ts'

const defaultRank = 32
/** About ten times what full weights take. */
const learningRates: Readonly<Record<FineTuningMethodName, number>> = { supervised: 2e-4, dpo: 1e-5 }
const saveEverySteps = 50
const saveEverySeconds = 300

type Requested = Partial<NonNullable<FineTuningMethod['supervised']>['hyperparameters']>

/** Hyperparameters of a request, as it has them; those of both methods. */
export function requestedOf({ method }: Pick<CreateFineTuningJob, 'method'>): Requested {
  return method[method.type]?.hyperparameters ?? {}
}

/** @param examples that are trained on */
export function hyperparametersOf(
  request: CreateFineTuningJob,
  model: Pick<BaseModel, 'loraRanks' | 'maxContext'>,
  examples: number,
): JobHyperparameters {
  const { type } = request.method
  const requested = requestedOf(request)
  const { nEpochs = 'auto', batchSize = 'auto', loraAlpha, onTooLong = 'drop' } = requested
  const rank = request.training === 'full' ? null : (requested.loraRank ?? rankFor(model))
  return {
    n_epochs: nEpochs === 'auto' ? epochsFor(type, examples) : nEpochs,
    batch_size: batchSize === 'auto' ? clamp(Math.round(examples / 100), 8, 64) : batchSize,
    learning_rate: learningRateOf(request),
    lora_rank: rank,
    lora_alpha: rank === null ? null : (loraAlpha ?? rank),
    beta: type === 'dpo' ? (request.method.dpo?.hyperparameters.beta ?? 0.1) : null,
    max_sequence_length: sequenceLengthOf(request, model),
    on_too_long: onTooLong,
    early_stopping_patience: request.earlyStopping?.patience ?? null,
  }
}

/** Maximum tokens of an example. */
export function sequenceLengthOf(request: CreateFineTuningJob, { maxContext }: Pick<BaseModel, 'maxContext'>): number {
  return requestedOf(request).maxSequenceLength ?? Math.min(maxContext, defaultSequenceLength)
}

/** The plan of a job that is trained on these examples. */
export function planOf(
  request: Pick<CreateFineTuningJob, 'nCheckpoints'>,
  { n_epochs: epochs, batch_size: batchSize }: Pick<JobHyperparameters, 'n_epochs' | 'batch_size'>,
  { examples, tokens }: { readonly examples: number; readonly tokens: number },
): JobPlan {
  const totalSteps = Math.max(1, Math.ceil(examples / batchSize) * epochs)
  const checkpoints = Math.min(request.nCheckpoints ?? epochs, totalSteps)
  const steps = Array.from({ length: checkpoints }, (_, index) => Math.round(((index + 1) * totalSteps) / checkpoints))
  return {
    total_steps: totalSteps,
    total_tokens: tokens * epochs,
    servable_steps: [...new Set(steps)],
    save_every_steps: saveEverySteps,
    save_every_seconds: saveEverySeconds,
  }
}

function epochsFor(method: FineTuningMethodName, examples: number): number {
  if (method === 'dpo' || examples >= 10_000) return 1
  return examples < 1_000 ? 3 : 2
}

function learningRateOf(request: CreateFineTuningJob): number {
  const { learningRate, learningRateMultiplier } = requestedOf(request)
  if (learningRate != null) return learningRate
  const factor = typeof learningRateMultiplier === 'number' ? learningRateMultiplier : 1
  return learningRates[request.method.type] * factor
}

/** The highest rank up to 32, else the lowest. */
function rankFor({ loraRanks }: Pick<BaseModel, 'loraRanks'>): number {
  return loraRanks.findLast((rank) => rank <= defaultRank) ?? loraRanks[0] ?? defaultRank
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
