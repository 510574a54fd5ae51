import { Checkbox, NumberInput, Radio, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from '../../../kit/page.tsx'
import type { StepProps } from './step-props.ts'

export function QuestionStep({ values, change }: StepProps): ReactNode {
  const { question, marginPoints, stops } = values
  return (
    <Card title="4. Question">
      <Stack gap={12}>
        <Radio.Group
          label="What the eval is to prove"
          value={question}
          onChange={(chosen) => change({ question: chosen as typeof question })}
        >
          <Stack gap={8} mt={6}>
            <Radio value="better" label="A candidate is better than the baseline" />
            <Radio value="not_worse" label="A candidate is not worse, by more than a margin" />
          </Stack>
        </Radio.Group>
        {question === 'not_worse' && (
          <NumberInput
            label="Margin"
            description="How much more often it may lose than win, in percentage points."
            suffix=" points"
            min={0.1}
            max={50}
            decimalScale={1}
            maw={260}
            value={marginPoints}
            onChange={(points) => change({ marginPoints: Number(points) || 0 })}
          />
        )}
        <Checkbox
          label="Stop as soon as it is answered"
          description="Saves money when the answer is clear. The intervals are wider, because they hold at any time."
          checked={stops}
          onChange={({ currentTarget }) => change({ stops: currentTarget.checked })}
        />
      </Stack>
    </Card>
  )
}
