import { listEvalSamples } from '@ratchet/contracts/evals'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'

interface Place {
  readonly id: string
  readonly query: Readonly<Record<string, string | boolean>>
  /** From 1. */
  readonly n: number
  /** The last place that `j` goes to, past the last sample where something follows it. */
  readonly lastOf: (total: number) => number
  readonly onGo: (n: number) => void
}

/** The sample at a place of a list, with the next one read ahead, and the keys that walk through the list. */
export function useSample({ id, query, n, lastOf, onGo }: Place) {
  const params = { id }
  const at = (offset: number) => ({ params, query: { ...query, limit: 1, offset } })
  const page = useEndpoint(listEvalSamples, at(n - 1), { keepsOld: true })
  const total = page.data?.total ?? 0
  useEndpoint(listEvalSamples, at(n), { enabled: n < total })
  useKey('row.next', () => onGo(n + 1), { enabled: n < lastOf(total) })
  useKey('row.previous', () => onGo(n - 1), { enabled: n > 1 })
  return page
}
