import {
  type FineTuningMethodName,
  fineTuningMethods,
  type TrainableModel,
} from '@ratchet/contracts/fine-tuning-models'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { countOf } from '../../../kit/numbers.ts'
import { duration } from '../../../kit/time.ts'

/** The price of a method, as a sentence. */
export function priceText({ pricing }: Pick<TrainableModel, 'pricing'>, method: FineTuningMethodName): string {
  const price = method === 'dpo' ? pricing.dpo_per_mtok : pricing.supervised_per_mtok
  if (price === null) return 'This model cannot be trained so.'
  return price === 0 ? 'It is free of charge.' : `${moneyText(microOfUsd(price))} per million trained tokens.`
}

/** The preferred method, if the model has it, else its first one of fine-tuning. */
export function methodFor(
  { methods }: Pick<TrainableModel, 'methods'>,
  preferred: FineTuningMethodName,
): FineTuningMethodName {
  if (methods.includes(preferred)) return preferred
  return fineTuningMethods.find((method) => methods.includes(method)) ?? preferred
}

/** When a job would begin. */
export function waitText({
  capacity: { gpus_free: free, queue_length: queued, estimated_wait_seconds: seconds },
}: Pick<TrainableModel, 'capacity'>): string {
  if (free > 0) return `${countOf(free, 'place')} free: a job begins at once.`
  const wait = seconds === null ? '' : `, about ${duration(seconds * 1_000)}`
  return `No place is free: a job waits for ${queued === 0 ? 'the running ones' : countOf(queued, 'other job')}${wait}.`
}
