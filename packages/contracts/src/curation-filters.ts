import { z } from 'zod'
import { logFilters } from './log-filters.ts'
import { flag } from './query-values.ts'

const jsonFlag = z.union([z.boolean(), flag], 'This must be true or false.')

/** The filters of the list of logs, as members of a JSON object. */
export const CurationFilters = z.strictObject({
  ...logFilters,
  cache_hit: jsonFlag.optional(),
  canary: jsonFlag.optional(),
  has_tool_calls: jsonFlag.optional(),
})
export type CurationFilters = z.infer<typeof CurationFilters>
