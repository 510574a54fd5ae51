import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { BaseModel } from '../trainable-models/trainable-model.ts'
import { requestedOf } from './resolve-settings.ts'

/** A model, its price and its trainer, as a job has chosen them. */
export interface ChosenModel {
  readonly model: BaseModel
  readonly trainer: string
  /** Nano-dollars per million trained tokens. */
  readonly priceNanoPerMtok: bigint
}

/**
 * The model of a job.
 *
 * @throws ServiceError `model_not_trainable` when no trainer offers it with this method; 400 for a setting that it does not have
 */
export function requireTrainable(models: readonly BaseModel[], request: CreateFineTuningJob): ChosenModel {
  const { type } = request.method
  const model = models.find(({ id }) => id === request.model)
  const priceNanoPerMtok = model?.prices.get(type)
  if (model === undefined || priceNanoPerMtok === undefined) throw notTrainable(models, request)
  const trainer = request.trainer === 'auto' ? model.trainers[0] : request.trainer
  if (trainer === undefined || !model.trainers.includes(trainer)) {
    throw refused('trainer', `must be \`auto\` or one of: ${model.trainers.join(', ')}.`)
  }
  requireSettings(model, request)
  return { model, trainer, priceNanoPerMtok }
}

function notTrainable(models: readonly BaseModel[], { model, method }: CreateFineTuningJob): ServiceError {
  const trainable = models.filter(({ prices }) => prices.has(method.type)).map(({ id }) => id)
  const message = `No trainer offers ${JSON.stringify(model)} with the method \`${method.type}\`.`
  return new ServiceError('model_not_trainable', message, { param: 'model', details: { trainable } })
}

function requireSettings(model: BaseModel, { training, method }: CreateFineTuningJob): void {
  if (training === 'full' && !model.full) throw refused('training', `cannot be \`full\` for ${model.id}.`)
  const { loraRank, maxSequenceLength } = requestedOf({ method })
  const path = `method.${method.type}.hyperparameters`
  if (loraRank != null && training === 'lora' && !model.loraRanks.includes(loraRank)) {
    throw refused(`${path}.loraRank`, `must be one of: ${model.loraRanks.join(', ')}.`)
  }
  if (maxSequenceLength != null && maxSequenceLength > model.maxContext) {
    throw refused(`${path}.maxSequenceLength`, `must be at most ${model.maxContext} for ${model.id}.`)
  }
}

function refused(param: string, what: string): ServiceError {
  return new ServiceError('invalid_request', `\`${param}\` ${what}`, { param })
}
