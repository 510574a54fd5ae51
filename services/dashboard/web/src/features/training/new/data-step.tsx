import { SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { listDatasets } from '@ratchet/contracts/datasets'
import { listFiles } from '@ratchet/contracts/files'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { bytesText, count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import styles from '../training.module.css'
import { sourceOf } from './job-values.ts'
import type { StepProps } from './step-props.ts'

const sources = [
  { value: 'dataset', label: 'Dataset' },
  { value: 'file', label: 'File' },
]

/** The examples, and those to validate with. */
export function DataStep({ values, change, problems }: StepProps): ReactNode {
  const source = sourceOf(values)
  const parts = { values, change, problems }
  return (
    <Card title="2. Data">
      <Stack gap={12}>
        {values.method === 'dpo' ? (
          <Text c="dimmed">Datasets hold conversations, so pairs of answers come from a file.</Text>
        ) : (
          <SegmentedControl
            aria-label="Source of the examples"
            data={sources}
            value={source}
            maw={320}
            onChange={(next) => change({ source: next as typeof source })}
          />
        )}
        {source === 'dataset' ? <DatasetFields {...parts} /> : <FileFields {...parts} />}
      </Stack>
    </Card>
  )
}

type FieldsProps = Omit<StepProps, 'model'>

function DatasetFields({ values, change, problems }: FieldsProps): ReactNode {
  const slug = useWorkspaceSlug()
  const datasets = useList(listDatasets)
  const data = datasets.rows.map(({ id, name, example_count: examples }) => ({
    value: id,
    label: `${name} (${count(examples)})`,
  }))
  const isEmpty = !datasets.isPending && datasets.error === null && data.length === 0
  return (
    <>
      {datasets.error && <ErrorState error={datasets.error} onRetry={() => void datasets.refetch()} />}
      <div className={styles.fields}>
        <Choice
          label="Dataset"
          description="Conversations that end with the answer to be learned."
          placeholder={datasets.isPending ? 'Loading' : isEmpty ? 'There is no dataset yet' : 'Choose'}
          data={data}
          value={values.datasetId}
          error={problems.datasetId}
          onChange={(datasetId) => change({ datasetId })}
        />
        <Choice
          label="Validate with"
          description="By default the held out side of the dataset; without one, 5 % of the examples."
          placeholder="Chosen by itself"
          data={data.filter(({ value }) => value !== values.datasetId)}
          value={values.evalDatasetId}
          error={problems.evalDatasetId}
          onChange={(evalDatasetId) => change({ evalDatasetId })}
        />
      </div>
      {isEmpty && (
        <Link to="/w/$slug/datasets/new" params={{ slug }} search={{}}>
          Make a dataset of the log
        </Link>
      )}
    </>
  )
}

const maxFiles = 1_000

function FileFields({ values, change, problems }: FieldsProps): ReactNode {
  const files = useEndpoint(listFiles, { query: { purpose: 'fine-tune', limit: maxFiles } })
  const data = (files.data ?? []).map(({ id, filename, bytes }) => ({
    value: id,
    label: `${filename} (${bytesText(bytes)})`,
  }))
  return (
    <>
      {files.error && <ErrorState error={files.error} onRetry={() => void files.refetch()} />}
      <div className={styles.fields}>
        <Choice
          label="File"
          description="Lines of JSON in the format of OpenAI, uploaded by the API with the purpose fine-tune."
          placeholder={files.isPending ? 'Loading' : data.length === 0 ? 'There is no file yet' : 'Choose'}
          data={data}
          value={values.trainingFile}
          error={problems.trainingFile}
          onChange={(trainingFile) => change({ trainingFile })}
        />
        <Choice
          label="Validate with"
          description="By default 5 % of the examples."
          placeholder="Chosen by itself"
          data={data.filter(({ value }) => value !== values.trainingFile)}
          value={values.validationFile}
          error={problems.validationFile}
          onChange={(validationFile) => change({ validationFile })}
        />
      </div>
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly description: string
  readonly placeholder: string
  readonly data: { readonly value: string; readonly label: string }[]
  /** Empty: nothing is chosen. */
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

function Choice({ value, onChange, ...rest }: ChoiceProps): ReactNode {
  return (
    <Select
      {...rest}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${rest.label}` }}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
      comboboxProps={{ withinPortal: false }}
    />
  )
}
