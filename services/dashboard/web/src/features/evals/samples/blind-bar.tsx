import { Switch } from '@mantine/core'
import type { ReactNode } from 'react'
import { useKey } from '../../../keys/key-context.ts'
import { countOf } from '../../../kit/numbers.ts'

interface BlindBarProps {
  readonly isBlind: boolean
  /** Number of choices since the page was opened. */
  readonly choices: number
  readonly onChange: (isBlind: boolean) => void
}

export function BlindBar({ isBlind, choices, onChange }: BlindBarProps): ReactNode {
  useKey('samples.blind', () => onChange(!isBlind))
  return (
    <Switch
      label="Blind"
      description={
        isBlind
          ? `Names, order and verdicts are hidden. ${countOf(choices, 'choice')} so far.`
          : 'Compare without names.'
      }
      checked={isBlind}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  )
}
