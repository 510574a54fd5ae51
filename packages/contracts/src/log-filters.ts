import { z } from 'zod'
import { decimalNumber, flag, moment } from './query-values.ts'
import { storable } from './storable.ts'

const name = storable(z.string().min(1).max(200))

/** The filters of log entries, as query parameters. An entry must match all of them. */
export const logFilters = {
  model: name.describe('The model that answered.').optional(),
  tag: name.optional(),
  segment: name.describe('Family of the system prompt, a `segment` of `GET /v1/logs/segments`.').optional(),
  finish_reason: name.optional(),
  cache_hit: flag.describe('True for answers from the cache.').optional(),
  start: moment.describe('Created at or after this time.').optional(),
  end: moment.describe('Created before this time.').optional(),
  trace_id: name.optional(),
  alias: name.optional(),
  canary: flag.describe('True for answers of the canary of an alias.').optional(),
  min_cost_usd: decimalNumber({ min: 0, max: 1_000_000 }).describe('Minimum cost, USD.').optional(),
  has_tool_calls: flag.describe('True for answers with tool calls.').optional(),
  user: name.describe('The end user, as `X-Svc-User` or `user` of the request named it.').optional(),
  conversation_id: name.describe('The session, as `X-Svc-Session` or a span named it.').optional(),
  metadata: storable(
    z
      .string()
      .max(600)
      .regex(/^[^=]{1,64}=/, 'must be a name and a value, as in plan=pro'),
  )
    .describe('A name and a value of its metadata, as in `plan=pro`.')
    .optional(),
  q: storable(z.string().trim().min(1).max(500))
    .describe('Words that all occur in the messages or the answer, in any order and case.')
    .optional(),
}

const LogFilters = z.object(logFilters)
export type LogFilters = z.output<typeof LogFilters>

/** Totals are counted up to this number, so that a list of millions costs no more than its page. */
export const maxTotal = 10_000
/** The maximum total of a list with filters other than `start`, `end` and `trace_id`, whose matches can be far apart. */
export const maxSearchedTotal = 500
