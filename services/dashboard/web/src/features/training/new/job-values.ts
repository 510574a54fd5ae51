import { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { FineTuningMethodName } from '@ratchet/contracts/fine-tuning-models'
import type { z } from 'zod'

/** What the form of a new job holds. Numbers are texts, as they were typed; an empty text means the default. */
export interface JobValues {
  readonly model: string
  readonly method: FineTuningMethodName
  readonly source: 'dataset' | 'file'
  readonly datasetId: string
  readonly trainingFile: string
  readonly evalDatasetId: string
  readonly validationFile: string
  readonly training: 'lora' | 'full'
  readonly trainer: string
  readonly nEpochs: string
  readonly batchSize: string
  readonly learningRate: string
  readonly loraRank: string
  readonly loraAlpha: string
  readonly beta: string
  readonly maxSequenceLength: string
  readonly onTooLong: 'drop' | 'truncate_left' | 'fail'
  readonly nCheckpoints: string
  /** Validations without a better loss until it ends. */
  readonly earlyStopping: string
  readonly seed: string
  readonly suffix: string
  /** US dollars. */
  readonly maxCostUsd: string
}

export type JobField = keyof JobValues
/** What is wrong with fields, as sentences. */
export type Problems = Readonly<Partial<Record<JobField, string>>>

export const newJobValues: JobValues = {
  model: '',
  method: 'supervised',
  source: 'dataset',
  datasetId: '',
  trainingFile: '',
  evalDatasetId: '',
  validationFile: '',
  training: 'lora',
  trainer: '',
  nEpochs: '',
  batchSize: '',
  learningRate: '',
  loraRank: '',
  loraAlpha: '',
  beta: '',
  maxSequenceLength: '',
  onTooLong: 'drop',
  nCheckpoints: '',
  earlyStopping: '',
  seed: '',
  suffix: '',
  maxCostUsd: '',
}

export type JobBody = z.input<typeof CreateFineTuningJob>

/** Datasets hold conversations, so pairs of answers are only in files. */
export function sourceOf({ method, source }: Pick<JobValues, 'method' | 'source'>): JobValues['source'] {
  return method === 'dpo' ? 'file' : source
}

/** What still has to be chosen, as the rest of "Choose …". */
export function missingIn(values: JobValues): readonly string[] {
  const isFile = sourceOf(values) === 'file'
  return [
    ...(values.model === '' ? ['a model'] : []),
    ...(!isFile && values.datasetId === '' ? ['a dataset'] : []),
    ...(isFile && values.trainingFile === '' ? ['a file'] : []),
  ]
}

/** The body of the job; null while something is missing or wrong. */
export function bodyOf(values: JobValues): JobBody | null {
  const isComplete = missingIn(values).length === 0 && Object.keys(problemsIn(values)).length === 0
  return isComplete ? requestOf(values) : null
}

/** What the contract refuses, by field. What was not chosen yet is no problem. */
export function problemsIn(values: JobValues): Problems {
  const found = CreateFineTuningJob.safeParse(requestOf(values))
  if (found.success) return {}
  const problems = found.error.issues.flatMap((issue) => {
    const field = fieldAt(issue.path)
    return field === null || values[field] === '' ? [] : [[field, sentenceOf(issue)] as const]
  })
  return Object.fromEntries(problems)
}

/** The field of the form that a path of the body means; null for none. */
export function fieldAt(path: readonly PropertyKey[]): JobField | null {
  const names = path.map((name) => String(name).replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
  return (names.findLast((name) => Object.hasOwn(newJobValues, name)) as JobField | undefined) ?? null
}

/** A choice between `auto` and a number says what is wrong with the number. */
function sentenceOf(issue: z.core.$ZodIssue): string {
  const inner = issue.code === 'invalid_union' ? issue.errors.at(-1)?.[0]?.message : undefined
  return inner ?? issue.message
}

function requestOf(values: JobValues): JobBody {
  const { model, method, training, suffix, trainer } = values
  const settings = hyperparametersOf(values)
  return {
    model,
    ...dataOf(values),
    method:
      method === 'dpo'
        ? { type: method, dpo: { hyperparameters: { ...settings, ...given('beta', numberOf(values.beta)) } } }
        : { type: method, supervised: { hyperparameters: settings } },
    training,
    ...given('trainer', textOf(trainer)),
    ...given('suffix', textOf(suffix)),
    ...given('seed', numberOf(values.seed)),
    ...given('nCheckpoints', numberOf(values.nCheckpoints)),
    ...given('earlyStopping', stoppingOf(values.earlyStopping)),
    ...given('maxCostUsd', numberOf(values.maxCostUsd)),
  }
}

function dataOf(values: JobValues): Pick<JobBody, 'datasetId' | 'trainingFile' | 'evalDatasetId' | 'validationFile'> {
  if (sourceOf(values) === 'file') {
    return { trainingFile: values.trainingFile, ...given('validationFile', textOf(values.validationFile)) }
  }
  return { datasetId: values.datasetId, ...given('evalDatasetId', textOf(values.evalDatasetId)) }
}

type Hyperparameters = NonNullable<NonNullable<NonNullable<JobBody['method']>['supervised']>['hyperparameters']>

/** All weights have no rank. */
function hyperparametersOf(values: JobValues): Hyperparameters {
  const isLora = values.training === 'lora'
  return {
    ...given('nEpochs', numberOf(values.nEpochs)),
    ...given('batchSize', numberOf(values.batchSize)),
    ...given('learningRate', numberOf(values.learningRate)),
    ...(isLora ? given('loraRank', numberOf(values.loraRank) as Hyperparameters['loraRank']) : {}),
    ...(isLora ? given('loraAlpha', numberOf(values.loraAlpha)) : {}),
    ...given('maxSequenceLength', numberOf(values.maxSequenceLength)),
    onTooLong: values.onTooLong,
  }
}

function stoppingOf(text: string): JobBody['earlyStopping'] | undefined {
  const validations = numberOf(text)
  // biome-ignore lint/plugin: the contract knows the setting by this name
  return validations === undefined ? undefined : { patience: validations }
}

function textOf(text: string): string | undefined {
  return text.trim() === '' ? undefined : text.trim()
}

function numberOf(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text.replaceAll(',', ''))
}

/** A member of an object, which is left out when it has no value. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [Each in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Each in Name]?: Value })
}
