import type { FailureCause } from '@ratchet/contracts/failure-causes'
import { listFailedRequests, readFailures } from '@ratchet/contracts/failures'
import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { queryKeyOf } from '../../api/query-key.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'

/** The causes that requests of a group have rows of, the most frequent cause of the period first. */
export function useGroupCauses(
  filter: Readonly<Record<string, string>>,
  from: string,
  enabled: boolean,
): readonly FailureCause[] {
  const slug = useWorkspaceSlug()
  const counts = useEndpoint(readFailures, { query: { group_by: 'cause', from } }, { enabled })
  const groups = enabled ? (counts.data?.groups ?? []) : []
  const failed = groups.flatMap(({ group }) => (group === null ? [] : [group as FailureCause]))
  const causes: readonly FailureCause[] = enabled ? [...failed, 'client_left'] : []
  const query = { ...filter, limit: '1' }
  const firstRows = useQueries({
    queries: causes.map((cause) => ({
      queryKey: queryKeyOf(listFailedRequests, slug, { params: { cause }, query }),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call(listFailedRequests, { slug, signal, params: { cause }, query }),
    })),
  })
  return causes.filter((_, index) => (firstRows[index]?.data?.data.length ?? 0) > 0)
}
