import { NumberInput } from '@mantine/core'
import type { ReactNode } from 'react'

interface MaxCostInputProps {
  readonly description: string
  readonly value: string
  readonly error: ReactNode
  readonly onChange: (maxCostUsd: string) => void
}

/** The most that something may cost, in US dollars to a millionth. */
export function MaxCostInput({ onChange, ...input }: MaxCostInputProps): ReactNode {
  return (
    <NumberInput
      label="At most"
      prefix="$"
      decimalScale={6}
      allowNegative={false}
      hideControls
      onChange={(chosen) => onChange(String(chosen))}
      {...input}
    />
  )
}
