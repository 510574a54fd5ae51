import { logFilters } from '@ratchet/contracts/log-filters'
import { z } from 'zod'

/** The filters of log entries; what is typed in goes to the endpoints as it is. */
export const logFilterSchema = z.strictObject(logFilters) as z.ZodObject<typeof logFilters>

export const logTabs = ['conversation', 'json', 'parameters', 'verdicts', 'feedback'] as const
export type LogTab = (typeof logTabs)[number]

/** The state of the page of logs. */
export const LogSearch = z.strictObject({
  ...logFilters,
  log: z.string().optional(),
  tab: z.enum(logTabs).optional(),
  judge: z.string().optional(),
  days: z.enum(['1', '7', '30']).optional(),
  columns: z.string().optional(),
})

type Search = Readonly<Record<string, string | undefined>>

/** The part of the state that filters, with every filter, so that one which is not set removes an older one. */
export function filtersOf(search: Search): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(logFilters).map((name) => [name, search[name]]))
}
