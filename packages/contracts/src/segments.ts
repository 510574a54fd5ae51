import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { pageFields, pageLimit, pageOffset } from './log-filters.ts'

/** A family of system prompts that differ in variable parts only, and its traffic. */
export const Segment = z.object({
  segment: z.string().describe('`none` for exchanges without a system prompt.'),
  label: z.string(),
  exchanges: z.int(),
  exact_variants: z.int(),
  first_at: z.iso.datetime(),
  last_at: z.iso.datetime(),
  sample: z.string().nullable().describe('The beginning of the newest system prompt.'),
})
export type Segment = z.infer<typeof Segment>

export const listSegments = endpoint({
  method: 'get',
  path: '/v1/logs/segments',
  summary: 'List the segments of the logged traffic.',
  description: 'The largest first. A segment keeps its id for good.',
  service: 'logging',
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: z.object({ object: z.literal('list'), data: z.array(Segment), ...pageFields }),
  errors: ['logging_disabled', 'unknown_parameter'],
})
