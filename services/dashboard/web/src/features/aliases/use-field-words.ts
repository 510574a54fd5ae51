import { listCriteria } from '@ratchet/contracts/criteria'
import { listSegments } from '@ratchet/contracts/segments'
import { useMemo } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { familyText } from './alias-words.ts'
import type { FieldWords } from './routing/alias-fields.ts'

/** Names of the judges and prompt families that settings of aliases mention by id. */
export function useFieldWords(): FieldWords {
  const judges = useEndpoint(listCriteria, { query: { limit: 200 } }).data?.data
  const segments = useEndpoint(listSegments, { query: { limit: 100 } }).data?.data
  return useMemo(() => {
    const names = new Map(judges?.map(({ id, name }) => [id, name]))
    const labels = new Map(segments?.flatMap(({ segment, label }) => (label === '' ? [] : [[segment, label] as const])))
    return { judge: (id) => names.get(id) ?? id, family: (segment) => familyText(segment, labels) }
  }, [judges, segments])
}
