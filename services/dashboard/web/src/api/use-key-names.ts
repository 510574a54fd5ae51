import { listApiKeys } from '@ratchet/contracts/dashboard/keys'
import { useMemo } from 'react'
import { useEndpoint } from './use-endpoint.ts'

/** Names of the API keys that the person may see, by id. */
export function useKeyNames(enabled: boolean): ReadonlyMap<string, string> {
  const { data } = useEndpoint(listApiKeys, {}, { enabled })
  return useMemo(
    () => new Map((data?.data ?? []).map(({ id, name, display }) => [id, `${name} (${display}…)`] as const)),
    [data],
  )
}
