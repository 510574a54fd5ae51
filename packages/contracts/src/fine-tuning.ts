import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { CreateFineTuningJob } from './fine-tuning-body.ts'
import { fineTuningMethods } from './fine-tuning-models.ts'
import { flag, wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

export const FineTuningStatus = z.enum([
  'validating_files',
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
])
export type FineTuningStatus = z.infer<typeof FineTuningStatus>

const count = z.int().min(0)
const unixSeconds = z.int().describe('Unix seconds.')
const usd = z.number().min(0)

/** What the examples of a job are like. Counts of tokens are estimates unless `tokens_exact` is true. */
export const TrainingDataReport = z.object({
  examples: count.describe('Examples of the dataset or file.'),
  used: count.describe('Examples that are trained on.'),
  validation: count.describe('Examples to validate with.'),
  too_long: count.describe('Examples above the maximum length.'),
  empty: count.describe('Examples without anything to learn: no answer has a weight of 1.'),
  invalid: count.describe('Lines that are not examples of the method.'),
  first_invalid: z
    .object({ line: z.int(), message: z.string() })
    .nullable()
    .describe('The first line that is not an example, and why.'),
  duplicates: count.describe('Examples that are equal to an earlier one. They are trained on.'),
  leaked_from_eval: count.describe('Examples that are also used to validate. They are not trained on.'),
  tokens: count.describe('Tokens of the examples that are trained on, once.'),
  p50_tokens: count,
  p95_tokens: count,
  stop_token_trained: z
    .boolean()
    .nullable()
    .describe(
      'Whether most answers end with a token at which engines stop. Null before the trainer has counted the tokens.',
    ),
  template_sha256: z
    .string()
    .nullable()
    .describe(
      'SHA-256 of the chat template that the model is trained with. Null before the trainer has counted the tokens.',
    ),
})
export type TrainingDataReport = z.infer<typeof TrainingDataReport>

/** The settings without any `auto`. Null before the data is read. */
export const FineTuningHyperparameters = z.object({
  n_epochs: z.int(),
  batch_size: z.int(),
  learning_rate: z.number(),
  lora_rank: z.int().nullable().describe('Null when all weights are trained.'),
  lora_alpha: z.number().nullable(),
  beta: z.number().nullable().describe('Only of `dpo`.'),
  max_sequence_length: z.int(),
  on_too_long: z.enum(['drop', 'truncate_left', 'fail']),
})
export type FineTuningHyperparameters = z.infer<typeof FineTuningHyperparameters>

export const FineTuningJob = z.object({
  id: z.string(),
  object: z.literal('fine_tuning.job'),
  created_at: unixSeconds,
  finished_at: unixSeconds.nullable(),
  model: z.string(),
  fine_tuned_model: z
    .string()
    .nullable()
    .describe(
      'Name of the model version that the job has made, under which requests reach it if something serves it: see `serving` of the version. Null before the job has succeeded.',
    ),
  model_version_id: z.string().nullable(),
  warm_start_from: z.string().nullable().describe('Id of the model version that it is trained from.'),
  after_eval_id: z
    .string()
    .nullable()
    .describe('The eval that `afterTraining` has started. Its events say when none could be started.'),
  organization_id: z.string().describe('Id of the workspace.'),
  status: FineTuningStatus,
  phase: z.enum(['preparing', 'training', 'evaluating', 'uploading']).nullable().describe('Only of a running job.'),
  waiting_for: z.enum(['gpu']).nullable(),
  training_file: z.string().nullable(),
  validation_file: z.string().nullable(),
  dataset_id: z.string().nullable(),
  dataset_sha256: z.string().nullable().describe('SHA-256 of the dataset or file, when it was read.'),
  eval_dataset_id: z.string().nullable(),
  method: z.object({
    type: z.enum(fineTuningMethods),
    supervised: z.object({ hyperparameters: FineTuningHyperparameters.nullable() }).optional(),
    dpo: z.object({ hyperparameters: FineTuningHyperparameters.nullable() }).optional(),
  }),
  hyperparameters: z
    .object({
      n_epochs: z.union([z.literal('auto'), z.int()]),
      batch_size: z.union([z.literal('auto'), z.int()]),
      learning_rate_multiplier: z.union([z.literal('auto'), z.number()]),
    })
    .describe("As requested, where clients of OpenAI expect them; `method` has the job's own."),
  training: z.enum(['lora', 'full']),
  trainer: z.string(),
  suffix: z.string().nullable(),
  seed: z.int(),
  trained_tokens: count.nullable().describe('Tokens until the last checkpoint; null before there is one.'),
  result_files: z
    .array(z.string())
    .describe(
      'The id of a CSV file with the figures of each step, when a trainer has reported any and the job has ended. `GET /v1/files/{id}/content` has its content.',
    ),
  progress: z.object({ step: count, total_steps: count.nullable(), epoch: z.number() }),
  attempts: count.describe('Attempts that were lost. After the fifth the job fails.'),
  data_report: TrainingDataReport.nullable().describe('Null before the data is read.'),
  training_tokens: count.describe('Tokens of all epochs; an estimate while `tokens_exact` is false.'),
  tokens_exact: z.boolean().describe('Whether the trainer has counted them, with the tokenizer of the model.'),
  estimated_finish: unixSeconds.nullable(),
  estimated_cost_usd: usd,
  held_usd: usd,
  cost_usd: usd.describe('Charged until now: the cost until the last checkpoint.'),
  max_cost_usd: usd.nullable(),
  stopped_early: z.enum(['max_cost', 'early_stopping']).nullable(),
  error: z
    .object({ code: z.string(), message: z.string(), param: z.string().nullable() })
    .nullable()
    .describe('Why it failed.'),
  integrations: z.array(z.unknown()),
  metadata: z.record(z.string(), z.string()).nullable(),
})
export type FineTuningJob = z.infer<typeof FineTuningJob>

export const FineTuningEstimate = z.object({
  object: z.literal('fine_tuning.estimate'),
  training_tokens: count.describe('Tokens of all epochs.'),
  tokens_exact: z.boolean().describe('False when the tokenizer of the model is not known here, or not all was read.'),
  estimated_cost_usd: usd,
  hold_usd: usd.describe('What a job would hold when it is created.'),
  estimated_seconds: z.number().nullable().describe('Null when the speed of the trainer is not known.'),
  queue_seconds: z.number().nullable().describe('Null when it is not known.'),
  examples: count.nullable().describe('Examples that would be trained on. Null for data that was not read.'),
  data_report: TrainingDataReport.nullable().describe(
    'Null for more than 16 MB, which are read after a job was created.',
  ),
  warnings: z.array(z.string()),
})
export type FineTuningEstimate = z.infer<typeof FineTuningEstimate>

const params = z.object({ id: z.string() })
const ofTraining = { service: 'training' } as const
const ofJob = { ...ofTraining, params } as const

export const createFineTuningJob = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/v1/fine_tuning/jobs',
  summary: 'Create a fine-tuning job.',
  description:
    'Checks the data, holds the maximum cost and queues the job. Only tokens until the last checkpoint that is stored are charged, however often an attempt is lost. Keys are in camelCase or in snake_case. Three wrong bodies are answered with 400 and `{"error": "<message>"}`: a key in both spellings with different values, neither or both of `datasetId` and `trainingFile`, and a `method.type` with the settings of another method.',
  permission: 'owner_admin',
  guard: true,
  body: CreateFineTuningJob,
  reply: FineTuningJob,
  refusesFlatly: true,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'unsupported_unit',
    'unknown_parameter',
    'model_not_trainable',
    'invalid_training_data',
    'insufficient_balance',
    'not_found',
    'quota_exceeded',
    'idempotency_conflict',
    'request_too_large',
    'unsupported_media_type',
  ],
})

export const estimateFineTuningJob = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/v1/fine_tuning/jobs/estimate',
  summary: 'Estimate the cost of a fine-tuning job.',
  description: 'Checks the same body and reads the data. Nothing is held or created.',
  permission: 'any',
  body: CreateFineTuningJob,
  reply: FineTuningEstimate,
  refusesFlatly: true,
  errors: [
    'unsupported_unit',
    'unknown_parameter',
    'model_not_trainable',
    'invalid_training_data',
    'not_found',
    'request_too_large',
    'unsupported_media_type',
  ],
})

/** The list as `envelope=true` asks for it. */
export const FineTuningJobPage = z.object({
  object: z.literal('list'),
  data: z.array(FineTuningJob),
  has_more: z.boolean(),
})

export const listFineTuningJobs = endpoint({
  ...ofTraining,
  method: 'get',
  path: '/v1/fine_tuning/jobs',
  summary: 'List fine-tuning jobs.',
  description:
    'Newest first, as a plain array. With `envelope=true`, and for clients of OpenAI, known by their `User-Agent`, it is `{object: "list", data, has_more}`.',
  permission: 'any',
  query: z.strictObject({
    status: FineTuningStatus.optional(),
    model: storable(z.string()).optional(),
    limit: wholeNumber({ min: 1, max: 200 }).default(50),
    after: z.string().optional().describe('The id of the last job of the previous page.'),
    envelope: flag.optional(),
  }),
  reply: z.union([z.array(FineTuningJob), FineTuningJobPage]),
  errors: ['unknown_parameter', 'not_found'],
})

export const getFineTuningJob = endpoint({
  ...ofJob,
  method: 'get',
  path: '/v1/fine_tuning/jobs/:id',
  summary: 'Read a fine-tuning job.',
  description: 'Returns its state, its cost and the report of its data.',
  permission: 'any',
  reply: FineTuningJob,
  errors: ['unknown_parameter', 'not_found'],
})

const ofChange = {
  ...ofJob,
  method: 'post',
  permission: 'owner_admin',
  reply: FineTuningJob,
} as const

export const cancelFineTuningJob = endpoint({
  ...ofChange,
  path: '/v1/fine_tuning/jobs/:id/cancel',
  summary: 'Cancel a fine-tuning job.',
  description:
    'A running job may take a minute to end. Its checkpoints are charged and stay usable. Cancelling twice is not an error; a job that has ended otherwise cannot be cancelled.',
  errors: ['unknown_parameter', 'not_found', 'conflict'],
})

export const pauseFineTuningJob = endpoint({
  ...ofChange,
  path: '/v1/fine_tuning/jobs/:id/pause',
  summary: 'Pause a fine-tuning job.',
  description:
    'A running job saves a checkpoint first, which is charged; the rest of the hold is released. Pausing twice is not an error. After 30 days a paused job is cancelled.',
  errors: ['unknown_parameter', 'not_found', 'conflict'],
})

export const resumeFineTuningJob = endpoint({
  ...ofChange,
  guard: true,
  path: '/v1/fine_tuning/jobs/:id/resume',
  summary: 'Resume a paused fine-tuning job.',
  description:
    'Holds the cost of what is left, and queues the job. It continues at its last checkpoint. With an `Idempotency-Key` it is no error that the job has been resumed already.',
  requestHeaders: ['Idempotency-Key'],
  errors: ['unknown_parameter', 'not_found', 'conflict', 'insufficient_balance'],
})
