import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { logFilters } from './log-filters.ts'
import { ListedLog, LogEntry } from './logs.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

/** An agent run, or any other series of calls with one trace id. */
export const Trace = z.object({
  object: z.literal('trace'),
  id: z.string().describe('The trace id that the client sent.'),
  first_at: z.iso.datetime(),
  last_at: z.iso.datetime(),
  steps: z.int(),
  models: z.array(z.string()),
  tags: z.array(z.string()),
  total_tokens: z.int(),
  cost_usd: z.number(),
  error_count: z.int().describe('Number of spans that failed.'),
  completed: z.boolean().describe('True when the last step ended with `stop` and no step followed for ten minutes.'),
  expires_at: z.iso.datetime().describe('Time at which the first of its steps is deleted.'),
})
export type Trace = z.infer<typeof Trace>

/** A span that is not a model call: an agent, a tool, a retrieval. */
export const TraceSpan = z.object({
  span_id: z.string(),
  parent_span_id: z.string().nullable(),
  name: z.string(),
  kind: z.string(),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  status: z.string(),
  attributes: z.record(z.string(), z.unknown()).optional().describe('Absent with `content=none`.'),
})
export type TraceSpan = z.infer<typeof TraceSpan>

const params = z.strictObject({ trace_id: storable(z.string()) })
const { start, end, tag, segment, model } = logFilters

export const listTraces = endpoint({
  method: 'get',
  path: '/v1/traces',
  summary: 'List traces.',
  description:
    'Traces with a matching step, the one with the newest such step first. `total` counts to 1,000; `after` reads all of them.',
  service: 'logging',
  permission: 'any',
  query: z.strictObject({
    start,
    end,
    tag,
    segment,
    model,
    min_steps: wholeNumber({ min: 1, max: 10_000 }).default(1),
    limit: pageLimit,
    offset: pageOffset,
    after: storable(z.string().min(1)).describe('The id of the last trace of the previous page.').optional(),
  }),
  reply: pageOf(Trace),
  errors: ['logging_disabled', 'unknown_parameter'],
})

export const getTrace = endpoint({
  method: 'get',
  path: '/v1/traces/:trace_id',
  summary: 'Read a trace.',
  description:
    'Its steps in order, and its other spans. With `content=none` the content of the steps and the attributes of the spans are not read.',
  service: 'logging',
  permission: 'any',
  params,
  query: z.strictObject({ content: z.enum(['all', 'none']).default('all') }),
  reply: Trace.extend({ data: z.array(ListedLog), spans: z.array(TraceSpan) }),
  errors: ['logging_disabled', 'not_found', 'unknown_parameter'],
})

export const getSpan = endpoint({
  method: 'get',
  path: '/v1/traces/:trace_id/spans/:span_id',
  summary: 'Read a span of a trace.',
  description: 'A span that is not a model call, with its attributes. Model calls are entries of the log.',
  service: 'logging',
  permission: 'any',
  params: params.extend({ span_id: storable(z.string()) }),
  reply: TraceSpan.required({ attributes: true }),
  errors: ['logging_disabled', 'not_found'],
})

export const exportTrace = endpoint({
  method: 'get',
  path: '/v1/traces/:trace_id/export',
  summary: 'Export a trace.',
  description: 'The conversation of its last step with the answer, the tools of that step, and every step.',
  service: 'logging',
  permission: 'any',
  params,
  reply: z.object({
    object: z.literal('trace.export'),
    id: z.string(),
    messages: LogEntry.shape.messages,
    tools: LogEntry.shape.tools,
    steps: z.array(LogEntry),
  }),
  errors: ['logging_disabled', 'not_found', 'unknown_parameter'],
})
