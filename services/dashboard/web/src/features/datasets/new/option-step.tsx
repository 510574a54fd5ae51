import { Checkbox, NumberInput, SegmentedControl, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from '../../../kit/page.tsx'
import type { CurationValues } from './curation-values.ts'

export interface OptionProps {
  readonly values: CurationValues
  readonly change: (changed: Partial<CurationValues>) => void
}

export function OptionStep({ values, change }: OptionProps): ReactNode {
  const { dedupe, includesTools, onlyLastAnswer, holdoutPct, maxExamples } = values
  return (
    <Card title="3. Examples">
      <Stack gap={12}>
        <div>
          <Text fw={500}>Duplicates to drop</Text>
          <SegmentedControl
            aria-label="Duplicates to drop"
            data={[
              { value: 'exact', label: 'Equal ones' },
              { value: 'near', label: 'Similar ones too' },
            ]}
            value={dedupe}
            onChange={(chosen) => change({ dedupe: chosen as typeof dedupe })}
          />
        </div>
        <Checkbox
          label="Keep tools"
          checked={includesTools}
          onChange={({ currentTarget }) => change({ includesTools: currentTarget.checked })}
        />
        <Checkbox
          label="Train on the last answer only"
          description="Earlier answers of a conversation get weight 0."
          checked={onlyLastAnswer}
          onChange={({ currentTarget }) => change({ onlyLastAnswer: currentTarget.checked })}
        />
        <NumberInput
          label="Held out"
          description="Percentage of the examples that go to a second dataset, for evaluation."
          suffix=" %"
          min={0}
          max={99}
          maw={260}
          allowDecimal={false}
          value={holdoutPct}
          onChange={(chosen) => change({ holdoutPct: Math.min(99, Number(chosen) || 0) })}
        />
        <NumberInput
          label="Examples at most"
          description="Empty for all."
          min={1}
          max={1_000_000}
          maw={260}
          allowDecimal={false}
          hideControls
          value={maxExamples ?? ''}
          onChange={(chosen) => change({ maxExamples: Number(chosen) || null })}
        />
      </Stack>
    </Card>
  )
}
