import { Autocomplete, SegmentedControl, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { logHistogram, logValues } from '@ratchet/contracts/log-overview'
import { listModels } from '@ratchet/contracts/models'
import { listSegments } from '@ratchet/contracts/segments'
import { type ReactNode, useState } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { now } from '../../../clock.ts'
import { count } from '../../../kit/numbers.ts'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'

export interface JudgeValues extends Record<string, unknown> {
  readonly name: string
  readonly judge_prompt: string
  readonly kind: 'model' | 'code'
  readonly judge_model: string
  readonly unit: 'request' | 'trace'
  readonly population: string
  readonly population_family: string
}

interface JudgeFieldsProps<Values extends JudgeValues> {
  readonly form: UseFormReturnType<Values>
  /** What is entered where checks judge. */
  readonly checks: ReactNode
}

/** The fields of a new judge. */
export function JudgeFields<Values extends JudgeValues>({ form, checks }: JudgeFieldsProps<Values>): ReactNode {
  const listed = useEndpoint(listModels)
  const models = listed.data?.data.map(({ id }) => id) ?? []
  const { kind, unit, population, population_family: family } = form.values
  const set = (name: string, value: string) => form.setFieldValue(name as never, value as never)
  return (
    <>
      <FailedReads of={[listed]} />
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <Textarea
        label="An answer fails when"
        required
        autosize
        minRows={5}
        maxRows={24}
        {...form.getInputProps('judge_prompt')}
      />
      <SegmentedControl
        aria-label="Who judges"
        data={[
          { value: 'model', label: 'A model judges' },
          { value: 'code', label: 'Checks judge, free of charge' },
        ]}
        value={kind}
        onChange={(value) => set('kind', value)}
      />
      {kind === 'model' ? (
        <Autocomplete label="Model" required data={models} limit={50} {...form.getInputProps('judge_model')} />
      ) : (
        checks
      )}
      <SegmentedControl
        aria-label="What is judged"
        data={[
          { value: 'request', label: 'Single answers' },
          { value: 'trace', label: 'Complete runs of agents' },
        ]}
        value={unit}
        onChange={(value) => set('unit', value)}
      />
      <Population tag={population} segment={family} set={set} />
    </>
  )
}

const monthMs = 30 * 86_400_000

interface PopulationProps {
  readonly tag: string
  readonly segment: string
  readonly set: (name: 'population' | 'population_family', value: string) => void
}

/** Which traffic, with the number of its exchanges. */
export function Population({ tag, segment, set }: PopulationProps): ReactNode {
  const tags = useEndpoint(logValues, { query: { field: 'tag' } }).data?.values.map(({ value }) => value) ?? []
  const segments = useEndpoint(listSegments, { query: { limit: 100 } }).data?.data ?? []
  const [end] = useState(() => new Date(now()).toISOString())
  const start = new Date(new Date(end).getTime() - monthMs).toISOString()
  const chosen = { ...(tag === '' ? {} : { tag }), ...(segment === '' ? {} : { segment }) }
  const query = { start, end, buckets: '1', ...chosen }
  const traffic = useEndpoint(logHistogram, { query: query as never }, { keepsOld: true }).data
  const matched = traffic?.buckets.reduce((sum, bucket) => sum + (bucket.count ?? 0), 0)
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={12}>
        <Autocomplete
          label="Tag"
          placeholder="All tags"
          data={tags}
          value={tag}
          onChange={(value) => set('population', value)}
        />
        <Select
          label="Segment"
          placeholder="All segments"
          clearable
          data={segments.map(({ segment: value, label }) => ({ value, label: label === '' ? value : label }))}
          value={segment === '' ? null : segment}
          onChange={(value) => set('population_family', value ?? '')}
        />
      </SimpleGrid>
      {matched !== undefined && (
        <p className="dimmed" aria-live="polite" style={{ margin: 0 }}>
          {count(matched)} exchanges of the last 30 days.
        </p>
      )}
    </>
  )
}
