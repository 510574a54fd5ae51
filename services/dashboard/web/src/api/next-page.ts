import type { CallableEndpoint } from '@ratchet/contracts/client/endpoint-client'

/** Where a page of a list begins. */
export interface PagePlace {
  /** Its query, beside that of the list. */
  readonly query: Readonly<Record<string, string | number>>
  /** Rows of the list before it. */
  readonly index: number
  /** The page before it; null for the first one. */
  readonly previous: PagePlace | null
}

export const firstPlace: PagePlace = { query: {}, index: 0, previous: null }

interface ListedPage {
  readonly data: readonly unknown[]
  readonly next?: string | null
}

/**
 * The page that follows one: what its reply names as `next`, after its last item where the endpoint takes `after`, else by
 * offset.
 */
export function nextPlace({ query }: Pick<CallableEndpoint, 'query'>, page: ListedPage, place: PagePlace): PagePlace {
  const index = place.index + page.data.length
  const following = (part: PagePlace['query']) => ({ query: part, index, previous: place })
  if (typeof page.next === 'string') return following({ after: page.next })
  const last = page.data.at(-1) as { readonly id?: string } | undefined
  const takesAfter = 'shape' in query && 'after' in (query.shape as object)
  return following(takesAfter && last?.id !== undefined ? { after: last.id } : { offset: index })
}
