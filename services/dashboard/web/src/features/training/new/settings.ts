import { defaultSequenceLength } from '@ratchet/contracts/fine-tuning-body'
import type { TrainableModel } from '@ratchet/contracts/fine-tuning-models'
import { count } from '../../../kit/numbers.ts'
import type { JobField, JobValues } from './job-values.ts'

/** A field of the settings that have defaults. */
export interface Setting {
  readonly field: JobField
  readonly label: string
  readonly description: string
  /** The default, which is used while the field is empty. */
  readonly placeholder: string
  readonly choices?: readonly { readonly value: string; readonly label: string }[]
  /** A field that is never empty has this value by default. */
  readonly standard?: string
}

const tooLong = [
  { value: 'drop', label: 'Leave it out' },
  { value: 'truncate_left', label: 'Cut its beginning' },
  { value: 'fail', label: 'Fail the job' },
]

const weights = [
  { value: 'lora', label: 'An adapter (LoRA)' },
  { value: 'full', label: 'All weights' },
]

type Model = Pick<TrainableModel, 'full' | 'lora_ranks' | 'max_context' | 'trainers'> | null

/** The settings that a job of this method and model has. */
export function settingsOf(values: Pick<JobValues, 'method' | 'training'>, model: Model): readonly Setting[] {
  return [
    ...pacesOf(values),
    ...(model?.full ? [trainedWeights] : []),
    ...(values.training === 'lora' ? loraSettings(model) : []),
    ...(values.method === 'dpo' ? [beta] : []),
    ...lengthSettings(model),
    ...endings,
    ...trainersOf(model),
  ]
}

function pacesOf({ method }: Pick<JobValues, 'method'>): readonly Setting[] {
  const isPairs = method === 'dpo'
  return [
    {
      field: 'nEpochs',
      label: 'Epochs',
      description: isPairs
        ? 'Passes over the examples, 1 to 20.'
        : 'Passes over the examples, 1 to 20. By default 3 below 1,000 examples, 2 below 10,000, else 1.',
      placeholder: isPairs ? '1' : 'auto',
    },
    {
      field: 'batchSize',
      label: 'Batch size',
      description: 'Examples of one step, 1 to 512. By default a hundredth of them, from 8 to 64.',
      placeholder: 'auto',
    },
    {
      field: 'learningRate',
      label: 'Learning rate',
      description: 'From 1e-7 to 0.01.',
      placeholder: isPairs ? '1e-5' : '2e-4',
    },
  ]
}

const trainedWeights: Setting = {
  field: 'training',
  label: 'What is trained',
  description: 'An adapter is small, and many of them can be served together.',
  placeholder: '',
  choices: weights,
  standard: 'lora',
}

const beta: Setting = {
  field: 'beta',
  label: 'Beta',
  description: 'How close the model stays to its start, 0.01 to 2; higher is closer.',
  placeholder: '0.1',
}

const usualRank = 32

function loraSettings(model: Model): readonly Setting[] {
  const ranks = model?.lora_ranks ?? []
  const rank = ranks.findLast((each) => each <= usualRank) ?? ranks[0] ?? usualRank
  return [
    {
      field: 'loraRank',
      label: 'LoRA rank',
      description: 'A higher rank can learn more, and makes a larger adapter.',
      placeholder: String(rank),
      choices: ranks.map((each) => ({ value: String(each), label: String(each) })),
    },
    { field: 'loraAlpha', label: 'LoRA alpha', description: 'From 1 to 1,024.', placeholder: 'the rank' },
  ]
}

function lengthSettings(model: Model): readonly Setting[] {
  return [
    {
      field: 'maxSequenceLength',
      label: 'Longest example',
      description: 'Tokens.',
      placeholder: count(Math.min(model?.max_context ?? defaultSequenceLength, defaultSequenceLength)),
    },
    {
      field: 'onTooLong',
      label: 'A longer example',
      description: 'What happens to it.',
      placeholder: '',
      choices: tooLong,
      standard: 'drop',
    },
  ]
}

const endings: readonly Setting[] = [
  {
    field: 'nCheckpoints',
    label: 'Checkpoints',
    description: 'How many are kept, at equal distances, 1 to 20.',
    placeholder: 'one after each epoch',
  },
  {
    field: 'earlyStopping',
    label: 'Early stopping',
    description: 'Ends after so many validations without a better loss, 1 to 10.',
    placeholder: 'off',
  },
  {
    field: 'seed',
    label: 'Seed',
    description: 'The same seed gives the same order of examples.',
    placeholder: 'random',
  },
]

function trainersOf(model: Model): readonly Setting[] {
  const trainers = model?.trainers ?? []
  if (trainers.length < 2) return []
  const choices = trainers.map((name) => ({ value: name, label: name }))
  return [{ field: 'trainer', label: 'Trainer', description: 'Where it is trained.', placeholder: 'auto', choices }]
}
