import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'

/** A family of system prompts that differ only in their variables, with its traffic. */
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
  description: 'Largest first. A segment never changes its id.',
  service: 'logging',
  permission: 'any',
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Segment),
  errors: ['logging_disabled', 'unknown_parameter'],
})
