import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { endpoint } from './endpoint.ts'
import { recordOf } from './list-of.ts'
import { wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

/** The endpoints whose requests a batch may have. */
export const BatchEndpoint = z.enum([
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/completions',
  '/v1/moderations',
])
export type BatchEndpoint = z.infer<typeof BatchEndpoint>

/** Maximum requests of a batch. */
export const maxBatchLines = 50_000
/** Maximum bytes of the file with its requests, and of one request. */
export const maxBatchBytes = 50 * mebibyte
export const maxBatchLineBytes = 2 * mebibyte
/** Maximum batches of a workspace that have not ended. */
export const maxUnfinishedBatches = 20
/** Maximum errors that a batch with a wrong file lists. */
export const maxBatchErrors = 50

export const BatchStatus = z.enum([
  'validating',
  'failed',
  'in_progress',
  'finalizing',
  'completed',
  'expired',
  'cancelling',
  'cancelled',
])
export type BatchStatus = z.infer<typeof BatchStatus>

/** Why a file cannot be run. */
export const BatchError = z.object({
  code: z.string(),
  message: z.string(),
  param: z.string().nullable().describe('The field of the line.'),
  line: z.int().nullable().describe('The line of the file, from 1.'),
})
export type BatchError = z.infer<typeof BatchError>

const seconds = z.int().describe('Unix seconds.')
const moment = z.int().nullable().describe('Unix seconds; null before.')
const fileId = (what: string) => z.string().nullable().describe(what)

/** A batch in OpenAI's format. */
export const Batch = z.object({
  id: z.string(),
  object: z.literal('batch'),
  endpoint: BatchEndpoint,
  model: z.string().nullable().describe('The model of all requests; null when they name several, or none.'),
  errors: z
    .object({ object: z.literal('list'), data: z.array(BatchError).max(maxBatchErrors) })
    .nullable()
    .describe('Of a batch that failed: what is wrong in its file.'),
  input_file_id: z.string(),
  completion_window: z.literal('24h'),
  status: BatchStatus,
  output_file_id: fileId('The answers, a line for each; null until the batch has ended, and without any.'),
  error_file_id: fileId('The requests without an answer; null until the batch has ended, and without any.'),
  created_at: seconds,
  in_progress_at: moment,
  expires_at: seconds,
  finalizing_at: moment,
  completed_at: moment,
  failed_at: moment,
  expired_at: moment,
  cancelling_at: moment,
  cancelled_at: moment,
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
  metadata: z.record(z.string(), z.string()).nullable(),
  cost_usd: z.number().describe('What its requests have cost until now.'),
  reserved_usd: z.number().describe('What is held for the requests that have not begun.'),
})
export type Batch = z.infer<typeof Batch>

const params = z.object({ id: z.string() })

export const CreateBatch = z.strictObject({
  input_file_id: z.string().describe('A file with the purpose `batch`.'),
  endpoint: BatchEndpoint,
  completion_window: z.literal('24h'),
  metadata: recordOf(storable(z.string().min(1).max(64)), storable(z.string().max(512)))
    .refine((pairs) => Object.keys(pairs).length <= 16, 'This must have at most 16 keys.')
    .nullish(),
})
export type CreateBatch = z.infer<typeof CreateBatch>

export const createBatch = endpoint({
  method: 'post',
  path: '/v1/batches',
  summary: 'Run the requests of a file within 24 hours.',
  description: `The Batch API of OpenAI. Each line of the file is \`{"custom_id", "method": "POST", "url", "body"}\`, with a \`custom_id\` that no other line has and the \`url\` of the batch's \`endpoint\`; at most ${maxBatchLines.toLocaleString('en-US')} lines and ${maxBatchBytes / mebibyte} MB. All lines are checked first: a file with wrong ones gives a batch with the status \`failed\` and its \`errors\`, which costs nothing. The maximum cost of all requests is held for the batch; when the wallet does not cover it, the answer is a 402 and there is no batch. Then each request is answered, charged and logged like one that was sent by itself, with the tag, the trace and the user of the headers of this one. A workspace has at most ${maxUnfinishedBatches} batches that have not ended.`,
  service: 'eval',
  permission: 'owner_admin',
  guard: true,
  body: CreateBatch,
  reply: Batch,
  requestHeaders: ['Idempotency-Key', 'log', 'session', 'tag', 'traceId', 'user'],
  errors: [
    'unknown_parameter',
    'not_found',
    'insufficient_balance',
    'request_too_large',
    'idempotency_conflict',
    'conflict',
  ],
})

export const listBatches = endpoint({
  method: 'get',
  path: '/v1/batches',
  summary: 'List batches.',
  description: 'Newest first.',
  service: 'eval',
  permission: 'any',
  query: z.strictObject({
    limit: wholeNumber({ min: 1, max: 100 }).default(20),
    after: z.string().optional().describe('The id of the last batch of the previous page.'),
  }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(Batch),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  }),
  errors: ['unknown_parameter', 'not_found'],
})

export const getBatch = endpoint({
  method: 'get',
  path: '/v1/batches/:id',
  summary: 'Read a batch.',
  description: 'Its status, counts and files.',
  service: 'eval',
  permission: 'any',
  params,
  reply: Batch,
  errors: ['unknown_parameter', 'not_found'],
})

export const cancelBatch = endpoint({
  method: 'post',
  path: '/v1/batches/:id/cancel',
  summary: 'Cancel a batch.',
  description:
    'Requests that run are answered and charged; no further one begins, and what was held for them is free again. The status is `cancelling` until the files are written. Cancelling twice changes nothing; `conflict` when the batch has ended.',
  service: 'eval',
  permission: 'owner_admin',
  params,
  reply: Batch,
  errors: ['unknown_parameter', 'not_found', 'conflict'],
})
