import { z } from 'zod'
import { wholeNumber } from './query-values.ts'

/** Maximum offset. `after` reads further entries. */
const maxPageOffset = 10_000

/** Query parameters of a list. */
export const pageLimit = wholeNumber({ min: 1, max: 200 }).default(50)
export const pageOffset = wholeNumber({ min: 0, max: maxPageOffset }).default(0)

/** The facts of a list beside its data. */
export const pageFields = {
  total: z.int().describe('Number of matching items on all pages. Logs and traces are counted up to a limit.'),
  limit: z.int(),
  offset: z.int(),
  has_more: z.boolean(),
}

/** The reply of an endpoint that lists items by page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ object: z.literal('list'), data: z.array(item), ...pageFields })
}

export interface PageQuery {
  readonly limit: number
  readonly offset: number
}

/** Builds the reply with one page of a list. `total` counts the items of all pages. */
export function pageReply<T>(data: T[], total: number, { limit, offset }: PageQuery) {
  return { object: 'list' as const, data, total, limit, offset, has_more: offset + data.length < total }
}
