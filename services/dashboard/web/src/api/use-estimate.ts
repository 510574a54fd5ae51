import { useDebouncedValue } from '@mantine/hooks'
import type { CallableEndpoint } from '@ratchet/contracts/client/endpoint-client'
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { call } from './call.ts'
import { useSlug } from './use-slug.ts'
import { type PageInput, withSlug } from './with-slug.ts'

const waitMs = 400

/**
 * Asks what something would cost while its form is filled in: shortly after the last change, and with the old answer until the
 * new one is there. Only for endpoints that change nothing with this input.
 */
export function useEstimate<E extends CallableEndpoint>(
  endpoint: E,
  input: PageInput<E>,
  { enabled = true }: { readonly enabled?: boolean } = {},
): UseQueryResult<z.output<E['reply']>> & { readonly isSettled: boolean } {
  const slug = useSlug()
  // An input that was not complete is not asked about, also when it is completed before the time is over.
  const text = enabled ? JSON.stringify(input) : null
  const [settled] = useDebouncedValue(text, waitMs)
  const query = useQuery<z.output<E['reply']>>({
    queryKey: [endpoint.path, slug, 'estimate', settled],
    queryFn: ({ signal }) =>
      call(endpoint, { ...withSlug(endpoint, slug, JSON.parse(settled ?? '{}') as PageInput<E>), slug, signal }),
    enabled: enabled && settled !== null,
    placeholderData: keepPreviousData as never,
  })
  return { ...query, isSettled: settled === text && !query.isFetching }
}
