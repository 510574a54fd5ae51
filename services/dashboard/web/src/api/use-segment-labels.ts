import { listSegments } from '@ratchet/contracts/segments'
import { useMemo } from 'react'
import { useEndpoint } from './use-endpoint.ts'

/** The names of prompt families by their ids; an id without a name stands for itself. */
export function useSegmentLabels(): ReadonlyMap<string, string> {
  const { data } = useEndpoint(listSegments, { query: { limit: 200 } })
  return useMemo(
    () => new Map((data?.data ?? []).map(({ segment, label }) => [segment, label === '' ? segment : label])),
    [data],
  )
}
