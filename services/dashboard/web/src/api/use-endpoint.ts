import type { CallableEndpoint } from '@ratchet/contracts/client/endpoint-client'
import type { LiveTopic } from '@ratchet/contracts/live-topic'
import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { z } from 'zod'
import { isTransient } from './api-error.ts'
import { call } from './call.ts'
import { useLive } from './live-context.ts'
import { firstPlace, nextPlace, type PagePlace } from './next-page.ts'
import { queryKeyOf } from './query-key.ts'
import { readOnce } from './read-once.ts'
import { useSlug } from './use-slug.ts'
import { type PageInput, withSlug } from './with-slug.ts'

export interface ReadOptions {
  /** A message about one of these topics makes the page read this again; it is polled while messages do not arrive. */
  readonly topics?: readonly LiveTopic[]
  readonly enabled?: boolean
  /** Shows the previous reply, marked as a placeholder, while the input changes. */
  readonly keepsOld?: boolean
  /** Keeps the first reply as long as it is shown: for endpoints that record what they reply, such as draws. */
  readonly readsOnce?: boolean
}

type ReadInput<E extends CallableEndpoint> = Pick<PageInput<E>, 'params' | 'query'>

const retryMs = 5_000

/** Reads an endpoint. A reply older than 30 s is read again when the window gets the focus. */
export function useEndpoint<E extends CallableEndpoint>(
  endpoint: E,
  input: ReadInput<E> = {},
  { topics = [], enabled = true, keepsOld = false, readsOnce = false }: ReadOptions = {},
): UseQueryResult<z.output<E['reply']>> {
  const slug = useSlug()
  const { pollMs } = useLive()
  return useQuery<z.output<E['reply']>>({
    queryKey: queryKeyOf(endpoint, slug, input),
    queryFn: ({ signal }) => call(endpoint, { ...withSlug(endpoint, slug, input), slug, signal }),
    enabled,
    meta: { topics },
    refetchInterval: ({ state }) => (isTransient(state.error) ? retryMs : topics.length > 0 && pollMs),
    ...(keepsOld ? { placeholderData: keepPreviousData as never } : {}),
    ...(readsOnce ? readOnce : {}),
  })
}

/** Begins to read what a page will show, before it is drawn. The page must ask with the same input. */
export function readEarly<E extends CallableEndpoint>(
  queries: QueryClient,
  endpoint: E,
  slug: string,
  input: ReadInput<E> = {},
): void {
  void queries.prefetchQuery({
    queryKey: queryKeyOf(endpoint, slug, input),
    queryFn: ({ signal }) => call(endpoint, { ...withSlug(endpoint, slug, input), slug, signal }),
  })
}

type ItemOf<E extends CallableEndpoint> =
  z.output<E['reply']> extends { data: (infer Item)[] } | { runs: (infer Item)[] } ? Item : never

interface ListReply<Item> {
  readonly data: readonly Item[]
  /** Missing in lists that have no pages. */
  readonly has_more?: boolean
  /** Of lists that name where the next page begins. */
  readonly next?: string | null
  readonly total?: number
}

/** A list whose items have another name than `data`. */
type NamedList<Item> = ListReply<Item> | (Omit<ListReply<Item>, 'data'> & { readonly runs: readonly Item[] })

function listOf<Item>(reply: NamedList<Item>): ListReply<Item> {
  return 'runs' in reply ? { ...reply, data: reply.runs } : reply
}

interface ListInput<E extends CallableEndpoint> extends Omit<ReadOptions, 'readsOnce'> {
  readonly params?: ReadInput<E>['params']
  readonly query?: ReadInput<E>['query']
  readonly pageSize?: number
}

/** Rows of a list that the browser holds at most; pages farther away are forgotten, and read again when they come near. */
const maxRows = 5_000

/** Reads a list page by page: after the last item where the endpoint takes `after`, else by offset. */
export function useList<E extends CallableEndpoint>(endpoint: E, input: ListInput<E> = {}) {
  const slug = useSlug()
  const { pollMs } = useLive()
  const { pageSize = 100, topics = [], enabled = true, keepsOld = true, ...read } = input
  const queries = useQueryClient()
  const queryKey = [...queryKeyOf(endpoint, slug, read), pageSize]
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...read.query, limit: pageSize, ...pageParam.query }
      const sent = { ...withSlug(endpoint, slug, { ...read, query } as ReadInput<E>), slug, signal }
      return listOf((await call(endpoint, sent)) as NamedList<ItemOf<E>>)
    },
    initialPageParam: firstPlace,
    getNextPageParam: (last, _pages, place) =>
      last.has_more || typeof last.next === 'string' ? nextPlace(endpoint, last, place) : undefined,
    getPreviousPageParam: (_first, _pages, { previous }) => previous ?? undefined,
    maxPages: Math.ceil(maxRows / pageSize),
    enabled,
    meta: { topics },
    refetchInterval: ({ state }) => (isTransient(state.error) ? retryMs : topics.length > 0 && pollMs),
    ...(keepsOld ? { placeholderData: keepPreviousData as never } : {}),
  })
  const { data } = list
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  /** Reads the first page again and forgets the others, which would be read again one after the other. */
  const readNewest = () => {
    queries.setQueryData<InfiniteData<unknown, PagePlace>>(queryKey, (before) => before && firstPageOf(before))
    void list.refetch()
  }
  /** Rows of the list before the first one of `rows`, which were forgotten. */
  const firstIndex = (data?.pageParams[0] as PagePlace | undefined)?.index ?? 0
  return { ...list, rows, firstIndex, total: data?.pages[0]?.total, readNewest }
}

function firstPageOf({ pages }: InfiniteData<unknown, PagePlace>): InfiniteData<unknown, PagePlace> {
  return { pages: pages.slice(0, 1), pageParams: [firstPlace] }
}
