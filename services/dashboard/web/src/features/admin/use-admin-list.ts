import type { CallableEndpoint } from '@ratchet/contracts/client/endpoint-client'
import { useList } from '../../api/use-endpoint.ts'
import { signInAgainFor } from './sign-in-again-for.ts'

/** A list for operators. They must have signed in a short time ago, so it has a way to do that again. */
export function useAdminList<E extends CallableEndpoint>(endpoint: E, search?: string) {
  const list = useList(endpoint, { query: search === undefined ? {} : { search } })
  return { list, signInAgain: signInAgainFor(list) }
}
