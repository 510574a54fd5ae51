import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { endpoint } from './endpoint.ts'
import { LogRow } from './logs.ts'
import { moment, wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

/** Endpoints of logging for the services that judge and compare exchanges. The edge does not forward to them. */
const service = 'logging'

const word = storable(z.string().min(1).max(200))

/** Log filters as JSON. Full-text search is excluded, because it does not select a random sample. */
export const SampleFilters = z.strictObject({
  model: word.optional(),
  tag: word.optional(),
  segment: word.optional(),
  finish_reason: word.optional(),
  cache_hit: z.boolean().optional(),
  start: z.iso.datetime({ offset: true }).optional(),
  end: z.iso.datetime({ offset: true }).optional(),
  trace_id: word.optional(),
  alias: word.optional(),
  canary: z.boolean().optional(),
  min_cost_usd: z.number().min(0).max(1_000_000).optional(),
  has_tool_calls: z.boolean().optional(),
  exclude_tags: z.array(word).max(20).optional().describe('Leaves out exchanges with one of these tags.'),
})
export type SampleFilters = z.infer<typeof SampleFilters>

/** The seed of random draws. */
const seed = z.int().min(-9_007_199_254_740_991).max(9_007_199_254_740_991).default(0)

/** The segment of a request that is being routed. */
export const findSegment = endpoint({
  method: 'post',
  path: '/internal/segments/find',
  summary: 'Find the segment that a request will have in the log.',
  description: 'Computed from the redacted prompt, by the rules by which exchanges get their segments. Stores nothing.',
  service,
  audience: 'internal',
  callers: ['inference'],
  body: z.strictObject({
    messages: z.array(z.unknown()).max(1_000).describe('The leading system and developer messages of the request.'),
  }),
  reply: z.object({
    segment: z.string(),
    is_final: z.boolean().describe('Whether every later request with the same prompt has this segment too.'),
  }),
})

/** A uniform sample without replacement. The same seed and log give the same sample. */
export const sampleExchanges = endpoint({
  method: 'post',
  path: '/internal/exchanges/sample',
  summary: 'Draw a random sample of exchanges.',
  description: 'Without their content.',
  service,
  audience: 'internal',
  callers: ['judging', 'eval'],
  body: z.strictObject({
    filters: SampleFilters.default({}),
    count: z.int().min(1).max(10_000),
    seed,
  }),
  reply: z.object({ total: z.int().describe('Number of exchanges that match.'), data: z.array(LogRow) }),
  errors: ['logging_disabled'],
})

/**
 * Exchanges in random order, with only the first one of each prompt. A frequent prompt is therefore more likely to be
 * selected, but none is selected twice. Prompts are compared by their messages alone.
 */
export const samplePrompts = endpoint({
  method: 'post',
  path: '/internal/prompts/sample',
  summary: 'Draw a random sample of distinct prompts.',
  description:
    'Returns one exchange per prompt, without content, in the order of the draw. The draw ends when there are enough prompts, but not before 2,000 exchanges were examined, and at 20,000 in any case. The same seed and log give the same sample.',
  service,
  audience: 'internal',
  callers: ['eval'],
  body: z.strictObject({
    filters: SampleFilters.default({}),
    count: z.int().min(1).max(500),
    seed,
  }),
  reply: z.object({
    total: z.int().describe('Number of exchanges that match.'),
    looked_at: z.int().describe('Number of exchanges that were drawn.'),
    distinct: z.int().describe('Number of distinct prompts among those; it may be larger than requested.'),
    data: z.array(LogRow),
  }),
  errors: ['logging_disabled'],
})

/** Filters of runs. A run matches when all others hold for one of its steps, and no step has an excluded tag. */
export const RunFilters = SampleFilters.pick({ tag: true, segment: true, model: true, start: true }).extend({
  exclude_tags: SampleFilters.shape.exclude_tags.describe('Leaves out runs of which a step has one of these tags.'),
})
export type RunFilters = z.infer<typeof RunFilters>

/** Whole agent runs in random order. */
export const sampleRuns = endpoint({
  method: 'post',
  path: '/internal/traces/sample',
  summary: 'Draw a random sample of completed runs.',
  description:
    'Selects among the 10,000 newest matching traces that had no new step for ten minutes and whose last step ended with `stop`. Runs are selected as a whole while their steps fit into `max_steps`; the first run that does not fit ends the draw. Steps are in order and without content; steps that are no longer in the log are missing. The same seed and log give the same sample.',
  service,
  audience: 'internal',
  callers: ['eval'],
  body: z.strictObject({
    filters: RunFilters.default({}),
    max_steps: z.int().min(1).max(500),
    seed,
  }),
  reply: z.object({
    total_runs: z.int().describe('Number of completed runs that match.'),
    eligible_steps: z.int().describe('Number of their steps.'),
    data: z.array(z.object({ trace_id: z.string(), steps: z.array(LogRow) })),
  }),
  errors: ['logging_disabled'],
})

/** Runs with more steps are not judged as a whole. */
export const maxJudgedSteps = 500

/** A uniform sample of completed runs. */
export const drawRuns = endpoint({
  method: 'post',
  path: '/internal/traces/draw',
  summary: 'Draw the ids of completed runs at random.',
  description:
    'Draws among the 10,000 newest matching traces that had no new step for ten minutes and whose last step ended with `stop`. The same seed and log give the same sample.',
  service,
  audience: 'internal',
  callers: ['judging', 'eval'],
  body: z.strictObject({
    filters: RunFilters.default({}),
    count: z.int().min(1).max(2_000),
    seed,
  }),
  reply: z.object({
    total_runs: z.int().describe('Number of completed runs that match.'),
    trace_ids: z.array(z.string()),
  }),
  errors: ['logging_disabled'],
})

const traceId = storable(z.string().min(1).max(200))

/** A run as it is in the log now. */
export const LoggedRun = z.object({
  trace_id: z.string(),
  completed: z.boolean(),
  last_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe('Time at which the first of its steps is deleted.'),
  step_count: z.int(),
  steps: z
    .array(LogRow)
    .describe(`In order and without content. Empty for a run with more than ${maxJudgedSteps} steps.`),
})
export type LoggedRun = z.infer<typeof LoggedRun>

/** Few, because each may have hundreds of steps. */
export const maxRunsPerRead = 20

export const readRuns = endpoint({
  method: 'post',
  path: '/internal/traces/read',
  summary: 'Read the steps of runs.',
  description: 'In the order of the given ids. Runs without a step in the log are left out.',
  service,
  audience: 'internal',
  callers: ['judging', 'alias', 'eval', 'voice'],
  body: z.strictObject({ trace_ids: z.array(traceId).max(maxRunsPerRead) }),
  reply: z.object({ data: z.array(LoggedRun) }),
  errors: ['logging_disabled'],
})

/** A run with a new step moves behind the runs that were quiet before, so a reader of this list sees it again. */
export const quietRuns = endpoint({
  method: 'get',
  path: '/internal/traces/quiet',
  summary: 'List runs in the order in which they became quiet.',
  description: 'Runs whose last step is more than ten minutes old, by the time of that step.',
  service,
  audience: 'internal',
  callers: ['judging'],
  query: z.strictObject({
    after: moment.describe('Time of the last step of the last run of the previous page.'),
    after_id: traceId.optional().describe('The trace id of that run.'),
    limit: wholeNumber({ min: 1, max: 1_000 }).default(500),
  }),
  reply: z.object({ data: z.array(z.object({ trace_id: z.string(), last_at: z.iso.datetime() })) }),
  errors: ['logging_disabled'],
})

/** In the order of their storage, so that a reader that continues after the last id it got misses none. */
export const freshExchanges = endpoint({
  method: 'get',
  path: '/internal/exchanges/fresh',
  summary: 'List exchanges in the order of their storage.',
  description: 'Without content.',
  service,
  audience: 'internal',
  callers: ['judging', 'alias'],
  query: z.strictObject({
    after: z.uuid().describe('UUID of the last exchange of the previous page.'),
    limit: wholeNumber({ min: 1, max: 1_000 }).default(500),
    alias: word.optional().describe('Only exchanges that named this alias.'),
  }),
  reply: z.object({ data: z.array(LogRow) }),
  errors: ['logging_disabled'],
})

/** The given ids that still exist. */
export const presentExchanges = endpoint({
  method: 'post',
  path: '/internal/exchanges/present',
  summary: 'Check which exchanges still exist.',
  description: 'Deleted and expired ones are left out.',
  service,
  audience: 'internal',
  callers: ['judging', 'eval'],
  body: z.strictObject({ ids: z.array(z.string()).max(5_000) }),
  reply: z.object({ ids: z.array(z.string()) }),
})

/** Other services redact with this endpoint before they store content, so that it is redacted like the log. */
export const redactDocuments = endpoint({
  method: 'post',
  path: '/internal/redactions',
  summary: 'Redact documents.',
  description: 'Returns them in the same order.',
  service,
  audience: 'internal',
  callers: ['judging'],
  maxBodyBytes: 16 * mebibyte,
  body: z.strictObject({ documents: z.array(z.string()).max(1_000).describe('JSON texts of objects.') }),
  reply: z.object({
    data: z.array(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('done'), document: z.string().nullable().describe('Null when it had no secret.') }),
        z.object({ kind: z.literal('failed') }),
      ]),
    ),
  }),
  errors: ['request_too_large'],
})
