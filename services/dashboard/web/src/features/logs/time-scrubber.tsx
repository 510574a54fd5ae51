import { SegmentedControl } from '@mantine/core'
import { logHistogram } from '@ratchet/contracts/log-overview'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Loaded } from '../../kit/states/loaded.tsx'
import { useMinute } from '../../kit/time-text.tsx'
import { TimeBars } from '../../pictures/time-bars.tsx'
import styles from './logs.module.css'
import { chosenRange, type Days, windowOf, windowWith } from './time-window.ts'

type Search = Readonly<Record<string, string | undefined>>

interface TimeScrubberProps {
  readonly days: Days
  readonly filters: Search
  readonly onChange: (changed: Search) => void
}

/** How many entries match over time. A drag over it chooses a time. */
export function TimeScrubber({ days, filters, onChange }: TimeScrubberProps): ReactNode {
  const usual = windowOf(days, useMinute())
  const chosen = chosenRange(filters, usual)
  const { startMs, endMs, buckets } = windowWith(chosen, usual)
  const query = { ...filters, start: isoOf(startMs), end: isoOf(endMs), buckets }
  const histogram = useEndpoint(logHistogram, { query }, { keepsOld: true })
  return (
    <div className={styles.scrubber}>
      <SegmentedControl
        size="xs"
        aria-label="Time that the picture shows"
        data={[
          { value: '1', label: '24 h' },
          { value: '7', label: '7 d' },
          { value: '30', label: '30 d' },
        ]}
        value={days}
        onChange={(value) => onChange({ days: value === '7' ? undefined : value })}
      />
      <Loaded query={histogram} skeleton={<div style={{ height: 102 }} />}>
        {(data) => (
          <TimeBars
            title="Matching entries"
            bars={data.buckets}
            bucketMs={data.bucket_ms}
            chosen={chosen}
            onChoose={(range) => onChange({ start: isoOf(range.startMs), end: isoOf(range.endMs) })}
          />
        )}
      </Loaded>
    </div>
  )
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString()
}
