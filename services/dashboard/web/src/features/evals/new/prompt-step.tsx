import { SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { listDatasetExamples, listDatasets } from '@ratchet/contracts/datasets'
import type { EvalEstimate } from '@ratchet/contracts/eval-plan'
import { listLogs } from '@ratchet/contracts/logs'
import { listTraces } from '@ratchet/contracts/traces'
import type { ReactNode } from 'react'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { questionOf } from '../../../kit/conversation/message-lines.ts'
import { FilterBar } from '../../../kit/filters/filter-bar.tsx'
import { count, countOf } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import styles from '../evals.module.css'
import type { PromptChoice, PromptSource } from './eval-values.ts'
import { PromptFilters } from './new-eval-search.ts'
import type { StepProps } from './step-props.ts'

interface PromptStepProps extends StepProps {
  readonly search: PromptChoice
  readonly onSearch: (changed: Readonly<Record<string, string | undefined>>) => void
  /** Of the present choice; absent while something is missing. */
  readonly estimate: EvalEstimate | undefined
}

const sources = [
  { value: 'logs', label: 'Log' },
  { value: 'dataset', label: 'Dataset' },
  { value: 'runs', label: 'Agent runs' },
]

export function PromptStep({ values, change, search, onSearch, estimate }: PromptStepProps): ReactNode {
  const { source } = values
  const choose = (next: string) => {
    change({ source: next as PromptSource, ...(next === 'runs' ? { comparesWithStored: false } : {}) })
    onSearch({ source: next })
  }
  return (
    <Card title="1. Prompts">
      <Stack gap={12}>
        <SegmentedControl
          aria-label="Source of the prompts"
          data={sources}
          value={source}
          onChange={choose}
          maw={420}
        />
        {source === 'dataset' ? (
          <DatasetChoice id={search.dataset_id} onChoose={(id) => onSearch({ dataset_id: id })} />
        ) : (
          <FilterBar schema={PromptFilters} values={promptValues(search)} onChange={onSearch} />
        )}
        {source === 'runs' && (
          <Text c="dimmed">
            Each step of a completed run is a sample, with the recorded history up to it. With a judge of runs, only the
            last answer of each run is one.
          </Text>
        )}
        {estimate && (
          <p className={styles.line}>
            <strong>{countOf(estimate.eligible_prompts, 'prompt')}</strong> fit, of which{' '}
            <strong>{count(estimate.distinct_prompts)}</strong> are distinct.
          </p>
        )}
        {source === 'logs' && <LogSamples search={search} />}
        {source === 'dataset' && search.dataset_id !== undefined && <DatasetSamples id={search.dataset_id} />}
        {source === 'runs' && <RunSamples search={search} />}
      </Stack>
    </Card>
  )
}

function promptValues({ tag, segment, model }: PromptChoice) {
  return { tag, segment, model }
}

interface DatasetChoiceProps {
  readonly id: string | undefined
  readonly onChoose: (id: string | undefined) => void
}

function DatasetChoice({ id, onChoose }: DatasetChoiceProps): ReactNode {
  const datasets = useList(listDatasets)
  return (
    <>
      <FailedReads of={[datasets]} />
      <Select
        label="Dataset"
        placeholder={datasets.isPending ? 'Loading' : datasets.rows.length === 0 ? 'There is no dataset yet' : 'Choose'}
        searchable
        maw={420}
        data={datasets.rows.map((each) => ({ value: each.id, label: `${each.name} (${count(each.example_count)})` }))}
        value={id ?? null}
        onChange={(chosen) => onChoose(chosen ?? undefined)}
        comboboxProps={{ withinPortal: false }}
      />
    </>
  )
}

const shown = 5

function LogSamples({ search }: { readonly search: PromptChoice }): ReactNode {
  const query = { ...promptValues(search), limit: shown }
  const logs = useEndpoint(listLogs, { query }, { keepsOld: true })
  return (
    <Loaded query={logs}>
      {({ data, total, total_is_exact: isExact }) => (
        <Samples
          what={`${countOf(total, 'exchange')}${isExact ? '' : ' or more'} in the log, such as`}
          none="No exchange in the log matches."
          lines={data.map(({ id = '', messages = [] }) => [id, questionOf(messages)])}
        />
      )}
    </Loaded>
  )
}

function DatasetSamples({ id }: { readonly id: string }): ReactNode {
  const examples = useEndpoint(listDatasetExamples, { params: { id }, query: { limit: shown } }, { keepsOld: true })
  return (
    <Loaded query={examples}>
      {({ data, total }) => (
        <Samples
          what={`${countOf(total, 'example')}, such as`}
          none="The dataset has no examples."
          lines={data.map(({ sha256, messages }) => [sha256, questionOf(messages)])}
        />
      )}
    </Loaded>
  )
}

function RunSamples({ search }: { readonly search: PromptChoice }): ReactNode {
  const query = { ...promptValues(search), limit: shown }
  const runs = useEndpoint(listTraces, { query }, { keepsOld: true })
  return (
    <Loaded query={runs}>
      {({ data, total }) => (
        <Samples
          what={`${countOf(total, 'run')}, such as`}
          none="No run in the log matches."
          lines={data.map(({ id, steps, models }) => [id, `${id}: ${countOf(steps, 'step')}, ${models.join(', ')}`])}
        />
      )}
    </Loaded>
  )
}

interface SamplesProps {
  readonly what: string
  readonly none: string
  readonly lines: readonly (readonly [key: string, text: string])[]
}

function Samples({ what, none, lines }: SamplesProps): ReactNode {
  if (lines.length === 0) return <Text c="dimmed">{none}</Text>
  return (
    <div>
      <Text c="dimmed">{what}</Text>
      <ul className={styles.samples}>
        {lines.map(([key, text]) => (
          <li key={key}>{text}</li>
        ))}
      </ul>
    </div>
  )
}
