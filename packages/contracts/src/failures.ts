import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { FailureCause } from './failure-causes.ts'
import { moment, wholeNumber } from './query-values.ts'

const shared = { service: 'inference', audience: 'session', permission: 'any' } as const

export const failureGroups = ['cause', 'model', 'provider', 'key', 'tag', 'alias', 'day'] as const
export type FailureGroup = (typeof failureGroups)[number]

const period = {
  from: moment.optional().describe('Start of the period; by default a day before its end.'),
  to: moment.optional().describe('End of the period; by default now.'),
}

const seen = {
  first_at: z.iso.datetime(),
  last_at: z.iso.datetime(),
  last_request_id: z.string(),
}

export const Failures = z.object({
  object: z.literal('failures'),
  group_by: z.enum(failureGroups),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  requests: z.int().describe('answered + cached + client_left + failed'),
  answered: z.int(),
  cached: z.int().describe('Answers that were stored before.'),
  client_left: z.int(),
  failed: z.int().describe('The sum of all groups, whatever they are.'),
  latency: z
    .object({ p50_ms: z.number(), p95_ms: z.number() })
    .nullable()
    .describe(
      'How long answers of models took, to their end, at most 5 % too high; stored answers are not in it. Null without any.',
    ),
  groups: z.array(
    z.object({
      group: z.string().nullable().describe('Null: not known, such as the model of a request that the edge refused.'),
      failed: z.int(),
      what_to_do: z.string().nullable().describe('For a cause.'),
      ...seen,
    }),
  ),
  others: z.object({ groups: z.int(), failed: z.int() }).nullable().describe('Groups beyond the largest 200.'),
  series: z
    .array(z.object({ at: z.iso.datetime(), outcome: z.string(), count: z.int() }))
    .describe('By hour for up to three days, else by day: answered, cached, client_left and each cause.'),
})

export const readFailures = endpoint({
  ...shared,
  method: 'get',
  path: '/session/failures',
  summary: 'Count failed requests by cause.',
  description: 'Whole hours (UTC). Calls of judges, evals and assistants are not counted: their own pages show them.',
  query: z.strictObject({ group_by: z.enum(failureGroups).default('cause'), ...period }),
  reply: Failures,
})

export const FailedRequest = z.object({
  request_id: z.string(),
  at: z.iso.datetime(),
  cause: FailureCause,
  model: z.string().describe('As the client named it.'),
  alias: z.string().nullable(),
  provider: z.string().nullable(),
  key_id: z.string().nullable(),
  tag: z.string().nullable(),
  trace_id: z.string().nullable(),
  upstream_status: z.int().nullable(),
  tries: z.int(),
  latency_ms: z.int(),
  error_code: z.string().nullable(),
  message: z.string().describe('As the client got it, without keys, addresses and parts of the request.'),
})

export const listFailedRequests = endpoint({
  ...shared,
  method: 'get',
  path: '/session/failures/:cause',
  summary: 'List failed requests of a cause.',
  description: 'The newest first, of the last 30 days. When very many requests fail at once, not every row is kept.',
  params: z.strictObject({ cause: FailureCause }),
  query: z.strictObject({
    limit: wholeNumber({ min: 1, max: 200 }).default(50),
    after: z.string().max(80).optional().describe('`next` of the page before.'),
    model: z.string().max(200).optional(),
    provider: z.string().max(200).optional(),
    key_id: z.uuid().optional(),
    tag: z.string().max(64).optional(),
    ...period,
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(FailedRequest), next: z.string().nullable() }),
})

export const failureEndpoints = [readFailures, listFailedRequests]
