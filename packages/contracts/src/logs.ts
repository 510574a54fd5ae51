import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'
import { endpoint } from './endpoint.ts'
import { Feedback } from './feedback.ts'
import { logFilters } from './log-filters.ts'
import { pageFields, pageLimit, pageOffset } from './page.ts'
import { wholeNumber } from './query-values.ts'

/** A message of a chat completion, as it was sent or answered, without secrets. */

/** A log entry without its content. */
export const LogRow = z.object({
  object: z.literal('log'),
  id: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe('Time at which it is deleted.'),
  model: z.string().describe('Catalog id of the model that answered.'),
  served_model: z.string(),
  requested_model: z.string().describe('The model or alias that the client requested.'),
  alias: z.string().nullable(),
  canary: z.boolean(),
  fallback_from: z.string().nullable(),
  provider: z.string(),
  tag: z.string().nullable(),
  trace_id: z.string().nullable(),
  span_id: z.string().nullable(),
  parent_span_id: z.string().nullable(),
  conversation_id: z.string().nullable().default(null).describe('The session that the client named.'),
  step_index: z.int().nullable().describe('Index among the steps of its trace, from 0.'),
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
  ttft_ms: z.number().nullable().describe('Milliseconds to the first byte of a stream.'),
  redaction: z.object({ count: z.int(), kinds: z.array(z.string()) }),
  source: z.enum(['gateway', 'otlp', 'import']),
})
export type LogRow = z.infer<typeof LogRow>

const LogContent = z.object({
  messages: z.array(ChatMessage),
  response: ChatMessage.describe("The assistant's message."),
  tools: z.array(z.unknown()).nullable(),
  response_format: z.unknown().nullable(),
  params: z.record(z.string(), z.unknown()).describe('Sampling parameters of the request.'),
  user: z.string().nullable().default(null).describe('The end user that the client named.'),
  metadata: z.record(z.string(), z.string()).default({}).describe('What the client noted.'),
})

/** A log entry with its content. */
export const LogEntry = LogRow.extend(LogContent.shape)
export type LogEntry = z.infer<typeof LogEntry>

/** A log entry as it is read alone: also with the feedback of users. Judges do not read that. */
export const LogEntryWithFeedback = LogEntry.extend({
  feedback: z.array(Feedback).default([]).describe('Of users, on the entry and on its trace, the oldest first.'),
})
export type LogEntryWithFeedback = z.infer<typeof LogEntryWithFeedback>

/** A log entry of a list: with `content=none` it has no content. */
export const ListedLog = LogRow.extend(LogContent.partial().shape)

const params = z.strictObject({ id: z.string() })

export const listLogs = endpoint({
  method: 'get',
  path: '/v1/logs',
  summary: 'List log entries.',
  description:
    'Newest first. `after` reads all matching entries page by page. `offset` is limited to 10,000. `total` is counted up to 10,000, or up to 500 with filters other than `start`, `end` and `trace_id`. With `content=none` the content is not read.',
  service: 'logging',
  permission: 'any',
  callers: ['training'],
  query: z.strictObject({
    ...logFilters,
    content: z.enum(['all', 'none']).default('all'),
    limit: pageLimit,
    offset: pageOffset,
    after: z.string().describe('The id of the last entry of the previous page.').optional(),
  }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(ListedLog),
    ...pageFields,
    total_is_exact: z.boolean().describe('False when counting stopped: there are at least `total` entries.'),
  }),
  errors: ['logging_disabled', 'unknown_parameter'],
})

/** Maximum number of entries of one export. */
export const maxExportedLogs = 10_000

export const exportLogs = endpoint({
  method: 'get',
  path: '/v1/logs/export',
  summary: 'Export log entries as training examples.',
  description:
    'JSON lines (`application/jsonl`) with `{"messages": [...]}` for each entry, the answer last; newest first, at most 10,000. `after` continues after an entry.',
  service: 'logging',
  permission: 'any',
  query: z.strictObject({
    ...logFilters,
    limit: wholeNumber({ min: 1, max: maxExportedLogs }).default(maxExportedLogs),
    after: z.string().optional(),
  }),
  reply: z.string(),
  downloads: ['application/jsonl'],
  errors: ['logging_disabled', 'unknown_parameter'],
})

export const getLog = endpoint({
  method: 'get',
  path: '/v1/logs/:id',
  summary: 'Read a log entry.',
  description: 'Includes its content and the feedback of users.',
  service: 'logging',
  permission: 'any',
  callers: ['judging', 'eval', 'alias'],
  params,
  reply: LogEntryWithFeedback,
  errors: ['logging_disabled', 'not_found', 'unknown_parameter'],
})

export const deleteLog = endpoint({
  method: 'delete',
  path: '/v1/logs/:id',
  summary: 'Delete a log entry.',
  description:
    'Deletes it at once and permanently, with the feedback on it and on its trace. Datasets and grades made from it are kept.',
  service: 'logging',
  permission: 'owner_admin',
  params,
  reply: z.object({ id: z.string(), object: z.literal('log'), deleted: z.literal(true) }),
  errors: ['logging_disabled', 'not_found', 'unknown_parameter'],
})
