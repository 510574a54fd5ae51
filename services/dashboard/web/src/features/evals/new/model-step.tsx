import { MultiSelect, Select, Stack, Text } from '@mantine/core'
import { listModels } from '@ratchet/contracts/models'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import styles from '../evals.module.css'
import type { StepProps } from './step-props.ts'

const maxCandidates = 3

export function ModelStep({ values, change }: StepProps): ReactNode {
  const { source, baseline, candidates } = values
  const models = useEndpoint(listModels)
  const ids = models.data?.data.map(({ id }) => id) ?? []
  const isFull = candidates.length >= maxCandidates
  return (
    <Card title="2. Models">
      <Stack gap={12}>
        {models.error && <ErrorState error={models.error} onRetry={() => void models.refetch()} />}
        <div className={styles.pair}>
          {source === 'runs' ? (
            <div>
              <Text fw={500}>Baseline</Text>
              <Text>The answers that were logged.</Text>
            </div>
          ) : (
            <Select
              label="Baseline"
              description="The model that answers now."
              searchable
              data={ids}
              value={baseline === '' ? null : baseline}
              onChange={(chosen) =>
                change({ baseline: chosen ?? '', candidates: candidates.filter((each) => each !== chosen) })
              }
              comboboxProps={{ withinPortal: false }}
            />
          )}
          <MultiSelect
            label="Candidates"
            description={isFull ? 'That is the most: three.' : 'One to three models.'}
            searchable
            data={ids.filter((id) => source === 'runs' || id !== baseline)}
            value={[...candidates]}
            maxValues={maxCandidates}
            onChange={(chosen) => change({ candidates: chosen })}
            comboboxProps={{ withinPortal: false }}
          />
        </div>
      </Stack>
    </Card>
  )
}
