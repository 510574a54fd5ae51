import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { logFilters, pageFields, pageLimit, pageOffset } from './log-filters.ts'

/** A message of a chat completion, as it was sent or answered, secrets taken out. */
const Message = z.looseObject({ role: z.string() })

/** A log entry without its content. */
export const LogRow = z.object({
  object: z.literal('log'),
  id: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe('When it is deleted.'),
  model: z.string().describe('The model that answered, as the catalog calls it.'),
  served_model: z.string(),
  requested_model: z.string().describe('As the client named it.'),
  alias: z.string().nullable(),
  canary: z.boolean(),
  fallback_from: z.string().nullable(),
  provider: z.string(),
  tag: z.string().nullable(),
  trace_id: z.string().nullable(),
  span_id: z.string().nullable(),
  parent_span_id: z.string().nullable(),
  step_index: z.int().nullable().describe('Its place among the steps of its trace, from 0.'),
  segment: z.string().describe('Family of the system prompt; `none` without one.'),
  segment_exact: z.string().describe('The exact system prompt within the family.'),
  finish_reason: z.string().nullable(),
  stream: z.boolean(),
  cached: z.boolean(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  reasoning_tokens: z.int().nullable(),
  cost_usd: z.number().nullable(),
  latency_ms: z.number(),
  ttft_ms: z.number().nullable().describe('To the first byte of a stream.'),
  redaction: z.object({ count: z.int(), kinds: z.array(z.string()) }),
  source: z.enum(['gateway', 'otlp', 'import']),
})
export type LogRow = z.infer<typeof LogRow>

/** A log entry; a list with `content=none` leaves `messages`, `response` and `tools` out. */
export const LogEntry = LogRow.extend({
  messages: z.array(Message),
  response: Message.describe("The assistant's message."),
  tools: z.array(z.unknown()).nullable(),
  response_format: z.unknown().nullable(),
  params: z.record(z.string(), z.unknown()).describe('Sampling parameters that the request set.'),
})
export type LogEntry = z.infer<typeof LogEntry>

const params = z.strictObject({ id: z.string() })

export const listLogs = endpoint({
  method: 'get',
  path: '/v1/logs',
  summary: 'List log entries.',
  description:
    'The newest first. Everything that matches is reached page by page with `after`; `offset` reaches to 10,000, and `total` counts as far; to 500 where filters are combined or `q` is given. With `content=none` the content is not read at all.',
  service: 'logging',
  query: z.strictObject({
    ...logFilters,
    content: z.enum(['all', 'none']).default('all'),
    limit: pageLimit,
    offset: pageOffset,
    after: z.string().describe('The id of the last entry of the page before.').optional(),
  }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(LogRow.extend(LogEntry.partial().shape)),
    ...pageFields,
    total_is_exact: z.boolean().describe('False where counting stopped: there are `total` or more.'),
  }),
  errors: ['logging_disabled', 'unknown_parameter'],
})

export const exportLogs = endpoint({
  method: 'get',
  path: '/v1/logs/export',
  summary: 'Export log entries as training examples.',
  description:
    'JSON lines (`application/jsonl`), one `{"messages": [...]}` for each entry, the answer last; the newest first, at most 10,000. `after` goes on behind an entry.',
  service: 'logging',
  query: z.strictObject({ ...logFilters, after: z.string().optional() }),
  reply: z.string(),
  downloads: ['application/jsonl'],
  errors: ['logging_disabled', 'unknown_parameter'],
})

export const getLog = endpoint({
  method: 'get',
  path: '/v1/logs/:id',
  summary: 'Read a log entry.',
  description: 'With its content.',
  service: 'logging',
  params,
  reply: LogEntry,
  errors: ['logging_disabled', 'not_found', 'unknown_parameter'],
})

export const deleteLog = endpoint({
  method: 'delete',
  path: '/v1/logs/:id',
  summary: 'Delete a log entry.',
  description: 'At once and for good. Datasets and grades made from it stay.',
  service: 'logging',
  params,
  reply: z.object({ id: z.string(), object: z.literal('log'), deleted: z.literal(true) }),
  errors: ['logging_disabled', 'not_found', 'unknown_parameter'],
})
