import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import { meQuery } from '../api/me.ts'

/** After these answers the person may have lost the session or the membership, so it is read again. */
const statusesOfLostRights = [401, 403, 404]

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.queryKey[0] === meQuery.queryKey[0]) return
      readMeAfter(error)
    },
  }),
  mutationCache: new MutationCache({ onError: readMeAfter }),
  defaultOptions: {
    // What fails for a moment is read again by its interval, and the page says since when it fails.
    queries: { retry: false, staleTime: 30_000 },
    mutations: { retry: false },
  },
})

function readMeAfter(error: unknown): void {
  if (!(error instanceof ApiError) || !statusesOfLostRights.includes(error.status)) return
  void queries.invalidateQueries({ queryKey: meQuery.queryKey })
}
