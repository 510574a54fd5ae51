import { type GradeMark, readMarks } from '@ratchet/contracts/session-labels'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../api/call.ts'
import { queryKeyOf } from '../../api/query-key.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { useSameItems } from '../../kit/use-same-items.ts'

const perCall = 100

/** The grades of entries by their id. Each page of the list is one call, so a longer list reads only what is new. */
export function useMarks(ids: readonly string[]): ReadonlyMap<string, GradeMark> {
  const slug = useWorkspaceSlug()
  const pages = Array.from({ length: Math.ceil(ids.length / perCall) }, (_, page) =>
    ids.slice(page * perCall, (page + 1) * perCall),
  )
  const results = useQueries({
    queries: pages.map((logIds) => ({
      queryKey: queryKeyOf(readMarks, slug, { params: logIds }),
      queryFn: ({ signal }: { signal: AbortSignal }) => call(readMarks, { slug, signal, body: { log_ids: logIds } }),
    })),
  })
  const found = useSameItems(results.map(({ data }) => data?.data))
  return useMemo(
    () => new Map(found.flatMap((marks) => marks?.map((mark) => [mark.log_id, mark] as const) ?? [])),
    [found],
  )
}
