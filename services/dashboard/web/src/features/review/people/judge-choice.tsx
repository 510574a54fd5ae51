import { Select } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'

interface JudgeChoiceProps {
  readonly value: string | undefined
  readonly onChange: (id: string | undefined) => void
  readonly isRequired?: boolean
}

/** Chooses a judge of the workspace. */
export function JudgeChoice({ value, onChange, isRequired = false }: JudgeChoiceProps): ReactNode {
  const judges = useEndpoint(listCriteria, { query: { limit: 100 } }).data?.data ?? []
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
