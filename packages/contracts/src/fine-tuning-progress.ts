import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

const unixSeconds = z.int().describe('Unix seconds.')
const numbers = z.record(z.string(), z.number().nullable())

export const FineTuningEvent = z.object({
  object: z.literal('fine_tuning.job.event'),
  id: z.string(),
  created_at: unixSeconds,
  level: z.enum(['info', 'warn', 'error']),
  type: z.enum(['message', 'metrics']),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).nullable(),
})
export type FineTuningEvent = z.infer<typeof FineTuningEvent>

export const FineTuningCheckpoint = z.object({
  object: z.literal('fine_tuning.job.checkpoint'),
  id: z.string(),
  created_at: unixSeconds,
  step_number: z.int(),
  fine_tuned_model_checkpoint: z
    .string()
    .nullable()
    .describe('Name of its model version, under which requests reach the model as it was here if something serves it.'),
  model_version_id: z.string().nullable(),
  fine_tuning_job_id: z.string(),
  metrics: numbers.describe('Such as `step`, `train_loss` and `valid_loss`.'),
  trained_tokens: z.int(),
  sha256: z.string().describe('Of the list of its files.'),
  size_bytes: z.int(),
})
export type FineTuningCheckpoint = z.infer<typeof FineTuningCheckpoint>

/** The figures of one step, or of the most extreme steps of a stretch. */
export const FineTuningMetrics = z.object({
  step: z.int(),
  at: z.iso.datetime(),
  values: numbers,
})
export type FineTuningMetrics = z.infer<typeof FineTuningMetrics>

const params = z.object({ id: z.string() })
const ofJob = { method: 'get', service: 'training', permission: 'any', params } as const
const limit = wholeNumber({ min: 1, max: 200 }).default(20)
const afterId = (thing: string) => z.string().optional().describe(`The id of the last ${thing} of the previous page.`)

export const listFineTuningEvents = endpoint({
  ...ofJob,
  path: '/v1/fine_tuning/jobs/:id/events',
  summary: 'List the events of a fine-tuning job.',
  description:
    'Newest first. With `Accept: text/event-stream` they are sent as they happen, the oldest first, beginning after `after` or `Last-Event-ID`: each event of the stream has the id of its event, and the stream ends with `event: done` when the job has ended.',
  query: z.strictObject({ limit, after: afterId('event') }),
  reply: z.object({ object: z.literal('list'), data: z.array(FineTuningEvent), has_more: z.boolean() }),
  streams: true,
  errors: ['unknown_parameter', 'not_found'],
})

export const listFineTuningCheckpoints = endpoint({
  ...ofJob,
  path: '/v1/fine_tuning/jobs/:id/checkpoints',
  summary: 'List the checkpoints of a fine-tuning job.',
  description: 'Newest first. They are kept. Those that only serve to resume the job are left out.',
  query: z.strictObject({ limit, after: afterId('checkpoint') }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(FineTuningCheckpoint),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  }),
  errors: ['unknown_parameter', 'not_found'],
})

/** Each name is searched in every step that is read. */
const maxMetricNames = 20

export const listFineTuningMetrics = endpoint({
  ...ofJob,
  path: '/v1/fine_tuning/jobs/:id/metrics',
  summary: 'Read the metrics of a fine-tuning job.',
  description:
    'By step, in ascending order. A long job is thinned: of each stretch of steps the one with the lowest and the one with the highest value of the first metric remain.',
  query: z.strictObject({
    names: storable(z.string().max(1_000))
      .refine((names) => names.split(',').length <= maxMetricNames, `These must be at most ${maxMetricNames} names.`)
      .optional()
      .describe('Names of metrics, separated by commas, at most 20; by default all.'),
    from_step: wholeNumber({ min: 0, max: 10_000_000 }).default(0),
    points: wholeNumber({ min: 2, max: 2_000 }).default(500).describe('Maximum number of steps.'),
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(FineTuningMetrics) }),
  errors: ['unknown_parameter', 'not_found'],
})
