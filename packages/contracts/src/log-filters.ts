import { z } from 'zod'
import { decimalNumber, flag, moment, wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

const name = storable(z.string().min(1).max(200))

/** Which log entries are meant, as query parameters: all that are named have to hold. */
export const logFilters = {
  model: name.describe('The model that answered.').optional(),
  tag: name.optional(),
  segment: name.describe('Family of the system prompt, a `segment` of `GET /v1/logs/segments`.').optional(),
  finish_reason: name.optional(),
  cache_hit: flag.describe('Whether the answer came from the cache.').optional(),
  start: moment.describe('Created then or later.').optional(),
  end: moment.describe('Created before.').optional(),
  trace_id: name.optional(),
  alias: name.optional(),
  canary: flag.describe('Whether the canary of an alias answered.').optional(),
  min_cost_usd: decimalNumber({ min: 0, max: 1_000_000 }).describe('Cost at least, USD.').optional(),
  has_tool_calls: flag.describe('Whether the answer calls tools.').optional(),
  q: storable(z.string().trim().min(1).max(500))
    .describe('Words that all occur in the messages or the answer, in any order and case.')
    .optional(),
}

const LogFilters = z.object(logFilters)
export type LogFilters = z.output<typeof LogFilters>

/** Offsets reach no further; `after` does. */
const maxPageOffset = 10_000
/** Totals are counted up to here, so that a list of millions costs no more than its page. */
export const maxTotal = 10_000
/** And up to here where filters are combined or words are looked for. */
export const maxCombinedTotal = 500

export const pageLimit = wholeNumber({ min: 1, max: 200 }).default(50)
export const pageOffset = wholeNumber({ min: 0, max: maxPageOffset }).default(0)

/** What a list says of itself beside its data. */
export const pageFields = {
  total: z.int().describe('Everything that matches, counted to a limit.'),
  limit: z.int(),
  offset: z.int(),
  has_more: z.boolean(),
}
