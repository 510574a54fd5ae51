import { Checkbox, NumberInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import { listCriteria } from '@ratchet/contracts/criteria'
import { listDatasets } from '@ratchet/contracts/datasets'
import type { ReactNode } from 'react'
import { useList } from '../../../api/use-endpoint.ts'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { MaxCostInput } from '../../training/max-cost-input.tsx'
import type { DistillValues } from './distill-values.ts'

interface StepProps {
  readonly values: DistillValues
  readonly change: (changed: Partial<DistillValues>) => void
  /** What a refusal says about a field of the API. */
  readonly errorAt: (field: string) => string | undefined
}

interface TeacherProps extends StepProps {
  readonly teachers: readonly string[]
  readonly needsTerms: boolean
}

/** Who answers, and what. */
export function TeacherStep({ values, change, errorAt, teachers, needsTerms }: TeacherProps): ReactNode {
  return (
    <Card title="1. Teacher and prompts">
      <Stack gap={14}>
        <Select
          label="Teacher"
          data={[...teachers]}
          searchable
          maw={480}
          value={values.teacher === '' ? null : values.teacher}
          error={errorAt('teacher_model')}
          comboboxProps={{ withinPortal: false }}
          onChange={(teacher) => change({ teacher: teacher ?? '', acknowledges: false })}
        />
        {needsTerms && (
          <Checkbox
            label="I read the terms of its provider, and they permit to train on its answers."
            checked={values.acknowledges}
            onChange={({ currentTarget }) => change({ acknowledges: currentTarget.checked })}
          />
        )}
        <div>
          <Text fw={500}>Prompts of</Text>
          <SegmentedControl
            aria-label="Prompts of"
            data={[
              { value: 'dataset', label: 'a dataset' },
              { value: 'log', label: 'the log' },
            ]}
            value={values.from}
            onChange={(from) => change({ from: from as DistillValues['from'] })}
          />
        </div>
        {values.from === 'dataset' ? (
          <DatasetField values={values} change={change} errorAt={errorAt} />
        ) : (
          <TextInput
            label="Tag"
            description="Only requests with this tag; without one, all. At most 2,000 prompts, chosen at random."
            maxLength={200}
            maw={480}
            value={values.tag}
            error={errorAt('filters')}
            onChange={({ currentTarget }) => change({ tag: currentTarget.value })}
          />
        )}
      </Stack>
    </Card>
  )
}

function DatasetField({ values, change, errorAt }: StepProps): ReactNode {
  const datasets = useList(listDatasets)
  const usable = datasets.rows.filter(({ status, format }) => status === 'ready' && format !== 'preference')
  return (
    <>
      {datasets.error && <ErrorState error={datasets.error} onRetry={() => void datasets.refetch()} />}
      <Select
        label="Dataset"
        description="Its prompts are answered anew. At most 2,000 of them, chosen at random."
        placeholder={usable.length === 0 ? 'There is no dataset yet' : undefined}
        data={usable.map(({ id, name, example_count: examples }) => ({
          value: id,
          label: `${name} (${count(examples)})`,
        }))}
        searchable
        maw={480}
        value={values.datasetId === '' ? null : values.datasetId}
        error={errorAt('dataset_id')}
        comboboxProps={{ withinPortal: false }}
        onChange={(datasetId) => change({ datasetId: datasetId ?? '' })}
      />
    </>
  )
}

/** What is kept, and what it may cost. */
export function AnswersStep({ values, change, errorAt }: StepProps): ReactNode {
  const judges = useList(listCriteria, { query: { status: 'draft', unit: 'request' } })
  return (
    <Card title="2. Answers and cost">
      <Stack gap={14} maw={480}>
        <NumberInput
          label="Answers to each prompt"
          min={1}
          max={8}
          allowDecimal={false}
          value={values.samples}
          error={errorAt('samples_per_prompt')}
          onChange={(chosen) => change({ samples: typeof chosen === 'number' ? chosen : 1 })}
        />
        {judges.error && <ErrorState error={judges.error} onRetry={() => void judges.refetch()} />}
        <Select
          label="Judge"
          description="Only answers that it passes are kept."
          placeholder="None: keep all answers"
          clearable
          clearButtonProps={{ 'aria-label': 'No judge' }}
          data={judges.rows.map(({ id, name, trust }) => ({ value: id, label: `${name} · ${trust}` }))}
          value={values.criterionId === '' ? null : values.criterionId}
          error={errorAt('criterion_id')}
          comboboxProps={{ withinPortal: false }}
          onChange={(criterionId) => change({ criterionId: criterionId ?? '' })}
        />
        <TextInput
          label="Name"
          required
          maxLength={200}
          value={values.name}
          error={errorAt('name')}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <MaxCostInput
          description="Answers and verdicts together. When it is reached, what passed by then is kept."
          value={values.maxCostUsd}
          error={errorAt('max_cost_usd')}
          onChange={(maxCostUsd) => change({ maxCostUsd })}
        />
      </Stack>
    </Card>
  )
}
