import { Select } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'

interface JudgeChoiceProps {
  readonly value: string | undefined
  readonly onChange: (id: string | undefined) => void
  readonly isRequired?: boolean
}

/** Chooses a judge of the workspace. */
export function JudgeChoice({ value, onChange, isRequired = false }: JudgeChoiceProps): ReactNode {
  const listed = useEndpoint(listCriteria, { query: { limit: 100 } })
  const judges = listed.data?.data ?? []
  if (listed.error !== null && listed.data === undefined) {
    return <FailedReads of={[listed]} />
  }
  return (
    <Select
      aria-label="Judge"
      placeholder={isRequired ? 'Choose a judge' : 'All judges'}
      clearable={!isRequired}
      searchable
      maw={320}
      data={judges.map(({ id, name }) => ({ value: id, label: name }))}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  )
}
