import type { CallableEndpoint } from '@ratchet/contracts/client/endpoint-client'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { isTransient } from './api-error.ts'
import { call } from './call.ts'
import { useSettled } from './use-settled.ts'
import { useSlug } from './use-slug.ts'

const retryMs = 5_000

/**
 * Reads an endpoint whose question is a body, such as an estimate, which changes nothing. It is asked when the body has not
 * changed for 400 ms; until then, and until the answer arrives, the previous reply is shown, marked as a placeholder. A null body
 * asks nothing.
 */
export function usePostedRead<E extends CallableEndpoint>(
  endpoint: E,
  body: z.input<E['body']> | null,
): UseQueryResult<z.output<E['reply']>> & { readonly isSettled: boolean } {
  const slug = useSlug()
  const text = body === null ? null : JSON.stringify(body)
  const settled = useSettled(text, 400)
  const query = useQuery<z.output<E['reply']>>({
    queryKey: [endpoint.path, slug, settled],
    queryFn: ({ signal }) => call(endpoint, { body: JSON.parse(settled ?? '{}'), slug, signal }),
    enabled: settled !== null && text !== null,
    refetchInterval: ({ state }) => (isTransient(state.error) ? retryMs : false),
    placeholderData: keepPreviousData as never,
  })
  return { ...query, isSettled: settled === text }
}
