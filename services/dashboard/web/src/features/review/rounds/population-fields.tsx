import { Anchor, Autocomplete, Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { logValues } from '@ratchet/contracts/log-overview'
import { listLatestScans } from '@ratchet/contracts/session-criteria'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useSegmentLabels } from '../../../api/use-segment-labels.ts'
import { percent } from '../../../kit/numbers.ts'
import { failingSegments } from './failing-segments.ts'
import type { RoundValues } from './round-values.ts'

interface PopulationFieldsProps {
  readonly form: UseFormReturnType<RoundValues>
}

/** Which traffic a round draws from: its tags and segments are offered by name. */
export function PopulationFields({ form }: PopulationFieldsProps): ReactNode {
  const tags = useEndpoint(logValues, { query: { field: 'tag' } }).data?.values.map(({ value }) => value) ?? []
  const labels = useSegmentLabels()
  const { segment } = form.values
  const ids = segment === '' || labels.has(segment) ? [...labels.keys()] : [...labels.keys(), segment]
  return (
    <>
      <Autocomplete label="Tag" placeholder="All tags" data={tags} {...form.getInputProps('tag')} />
      <Select
        label="Segment"
        placeholder="All segments"
        clearable
        searchable
        data={ids.map((value) => ({ value, label: labels.get(value) ?? value }))}
        {...form.getInputProps('segment')}
        value={segment === '' ? null : segment}
        onChange={(value) => form.setFieldValue('segment', value ?? '')}
      />
    </>
  )
}

/** Where more answers fail, as the newest scan of the judge found: fewer grades prove a judge there. */
export function FailingSegments({ form }: PopulationFieldsProps): ReactNode {
  const scans = useEndpoint(listLatestScans).data?.data
  const labels = useSegmentLabels()
  const scan = scans?.find(({ criterion_id: id }) => id === form.values.criterion_id)
  const found = scan === undefined ? [] : failingSegments(scan)
  if (found.length === 0) return null
  return (
    <p className="dimmed" style={{ margin: 0 }}>
      More answers fail in these segments, so fewer grades prove the judge there:{' '}
      {found.map(({ segment, failShare }, index) => (
        <span key={segment}>
          {index > 0 && ', '}
          <Anchor component="button" type="button" size="sm" onClick={() => form.setFieldValue('segment', segment)}>
            {labels.get(segment) ?? segment} ({percent(failShare)})
          </Anchor>
        </span>
      ))}
      .
    </p>
  )
}
