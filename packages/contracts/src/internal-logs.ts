import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { LogRow } from './logs.ts'
import { wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

/** What the services that judge and compare exchanges read of the log beside its public endpoints; the edge has no way here. */
const service = 'logging'

const word = storable(z.string().min(1).max(200))

/** Log filters as JSON of an API body; words are not among them, for they pick no random sample. */
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
})
export type SampleFilters = z.infer<typeof SampleFilters>

/** What random draws are decided by. */
const seed = z.int().min(-9_007_199_254_740_991).max(9_007_199_254_740_991).default(0)

/** A uniform sample without replacement: the same seed and log give the same one. */
export const sampleExchanges = endpoint({
  method: 'post',
  path: '/internal/exchanges/sample',
  summary: 'Draw a random sample of exchanges.',
  description: 'Without their content.',
  service,
  body: z.strictObject({
    filters: SampleFilters.default({}),
    count: z.int().min(1).max(10_000),
    seed,
  }),
  reply: z.object({ total: z.int().describe('Exchanges that match.'), data: z.array(LogRow) }),
  errors: ['logging_disabled'],
})

/**
 * Exchanges in random order, of which the first one of each prompt is taken: the more often a prompt was asked, the
 * likelier it is among them, and none is there twice. Prompts are told apart by their messages alone.
 */
export const samplePrompts = endpoint({
  method: 'post',
  path: '/internal/prompts/sample',
  summary: 'Draw a random sample of distinct prompts.',
  description:
    'One exchange for each, without content, in the order drawn. Drawing ends once there are enough, but not before 2,000 exchanges were looked at, and at 20,000. The same seed and log give the same sample.',
  service,
  body: z.strictObject({
    filters: SampleFilters.default({}),
    count: z.int().min(1).max(500),
    seed,
  }),
  reply: z.object({
    total: z.int().describe('Exchanges that match.'),
    looked_at: z.int().describe('Exchanges that were drawn.'),
    distinct: z.int().describe('Prompts of those, which may be more than were asked for.'),
    data: z.array(LogRow),
  }),
  errors: ['logging_disabled'],
})

/** Filters of runs: those with a step for which all of them hold. */
export const RunFilters = SampleFilters.pick({ tag: true, segment: true, model: true })
export type RunFilters = z.infer<typeof RunFilters>

/** Whole agent runs in random order. */
export const sampleRuns = endpoint({
  method: 'post',
  path: '/internal/traces/sample',
  summary: 'Draw a random sample of completed runs.',
  description:
    'Of the 10,000 newest traces that match and have been quiet for ten minutes, those whose last step ended with `stop`. They are taken whole while their steps fit into `max_steps`; the first one that does not fit ends the draw. Steps come in order and without content; what the log no longer has of a run is missing. The same seed and log give the same sample.',
  service,
  body: z.strictObject({
    filters: RunFilters.default({}),
    max_steps: z.int().min(1).max(500),
    seed,
  }),
  reply: z.object({
    total_runs: z.int().describe('Completed runs that match.'),
    eligible_steps: z.int().describe('Steps of those.'),
    data: z.array(z.object({ trace_id: z.string(), steps: z.array(LogRow) })),
  }),
  errors: ['logging_disabled'],
})

/** In the order in which they were stored: whoever goes on behind the last id it saw misses none. */
export const freshExchanges = endpoint({
  method: 'get',
  path: '/internal/exchanges/fresh',
  summary: 'Read what was stored since.',
  description: 'Without content.',
  service,
  query: z.strictObject({
    after: z.uuid().describe('UUID of the last exchange seen.'),
    limit: wholeNumber({ min: 1, max: 1_000 }).default(500),
    alias: word.optional().describe('Exchanges that named it, and no others.'),
  }),
  reply: z.object({ data: z.array(LogRow) }),
  errors: ['logging_disabled'],
})

/** Which of these are still there. */
export const presentExchanges = endpoint({
  method: 'post',
  path: '/internal/exchanges/present',
  summary: 'See which exchanges still exist.',
  description: 'Deleted and expired ones are left out.',
  service,
  body: z.strictObject({ ids: z.array(z.string()).max(5_000) }),
  reply: z.object({ ids: z.array(z.string()) }),
})

/** What others store is redacted as the log is, by whom the log is. */
export const redactDocuments = endpoint({
  method: 'post',
  path: '/internal/redactions',
  summary: 'Take the secrets out of documents.',
  description: 'In their order.',
  service,
  body: z.strictObject({ documents: z.array(z.string()).max(1_000).describe('JSON texts of objects.') }),
  reply: z.object({
    data: z.array(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('done'), document: z.string().nullable().describe('Null where it had no secret.') }),
        z.object({ kind: z.literal('failed') }),
      ]),
    ),
  }),
  errors: ['request_too_large'],
})
