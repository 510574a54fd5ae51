import { type GradeMark, readMarks } from '@ratchet/contracts/session-labels'
import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { queryKeyOf } from '../../api/query-key.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'

const perCall = 100

/** The grades of entries by their id. Each page of the list is one call, so a longer list reads only what is new. */
export function useMarks(ids: readonly string[]): ReadonlyMap<string, GradeMark> {
  const slug = useWorkspaceSlug()
  const pages = Array.from({ length: Math.ceil(ids.length / perCall) }, (_, page) =>
    ids.slice(page * perCall, (page + 1) * perCall),
  )
  return useQueries({
    queries: pages.map((logIds) => ({
      queryKey: queryKeyOf(readMarks, slug, { params: logIds }),
      queryFn: ({ signal }: { signal: AbortSignal }) => call(readMarks, { slug, signal, body: { log_ids: logIds } }),
    })),
    combine: marksOf,
  })
}

function marksOf(results: readonly { readonly data: { readonly data: readonly GradeMark[] } | undefined }[]) {
  return new Map(results.flatMap(({ data }) => data?.data.map((mark) => [mark.log_id, mark] as const) ?? []))
}
