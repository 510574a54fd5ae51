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
    seed: z.int().min(-9_007_199_254_740_991).max(9_007_199_254_740_991).default(0),
  }),
  reply: z.object({ total: z.int().describe('Exchanges that match.'), data: z.array(LogRow) }),
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
