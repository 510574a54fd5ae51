import { SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { type Criterion, listCriteria } from '@ratchet/contracts/criteria'
import type { ReactNode } from 'react'
import { useList } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import type { OptionProps } from './option-step.tsx'

/** Judges whose verdicts may choose training data, by what is known about them. */
const usable: readonly Criterion['trust'][] = ['trustworthy', 'under-measured']

const why: Partial<Record<Criterion['trust'], string>> = {
  borderline: 'too close to the bar',
  misaligned: 'disagrees with people',
  unmeasured: 'never compared with people',
}

export function JudgeChoice({ values, change }: OptionProps): ReactNode {
  const { criterionId, verdict } = values
  const judges = useList(listCriteria, { query: { status: 'draft', unit: 'request' } })
  const label = ({ name, trust }: Criterion) => `${name} · ${why[trust] ?? trust}`
  return (
    <Card title="2. Verdict">
      <Stack gap={12}>
        {judges.error && <ErrorState error={judges.error} onRetry={() => void judges.refetch()} />}
        <Select
          label="Judge"
          description="Keeps only exchanges with its verdict. Judges that nobody proved cannot choose training data."
          placeholder={judges.rows.length === 0 ? 'There is no judge yet' : 'None: keep all exchanges'}
          clearable
          clearButtonProps={{ 'aria-label': 'No judge' }}
          maw={480}
          data={judges.rows.map((judge) => ({
            value: judge.id,
            label: label(judge),
            disabled: !usable.includes(judge.trust),
          }))}
          value={criterionId}
          onChange={(id) => change({ criterionId: id })}
          comboboxProps={{ withinPortal: false }}
        />
        {criterionId !== null && (
          <div>
            <Text fw={500}>Keep what it</Text>
            <SegmentedControl
              aria-label="Verdict"
              data={[
                { value: 'pass', label: 'passed' },
                { value: 'fail', label: 'failed' },
              ]}
              value={verdict}
              onChange={(chosen) => change({ verdict: chosen as typeof verdict })}
            />
          </div>
        )}
      </Stack>
    </Card>
  )
}
