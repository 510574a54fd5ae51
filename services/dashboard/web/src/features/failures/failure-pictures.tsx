import { Button } from '@mantine/core'
import type { Failures } from '@ratchet/contracts/failures'
import type { ReactNode } from 'react'
import type { z } from 'zod'
import { NextLink } from '../../kit/next-link.tsx'
import { count } from '../../kit/numbers.ts'
import { Card } from '../../kit/page.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import { bucketsOf } from '../../kit/time-buckets.ts'
import { StackedBars } from '../../pictures/stacked-bars.tsx'
import styles from './failures.module.css'
import { causeBars, requestBars } from './outcome-bars.ts'

export type FailuresReply = z.output<typeof Failures>

const hour = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const maxHourlyMs = 3 * 86_400_000

const countText = (amount: string) => count(Number(amount))

interface FailurePicturesProps {
  readonly failures: FailuresReply
  /** Lists the requests that clients left. */
  readonly onLeft: () => void
}

/** All requests by how they ended, and the failed ones by cause. */
export function FailurePictures({ failures, onLeft }: FailurePicturesProps): ReactNode {
  const { requests, failed, series, from, to } = failures
  if (requests === 0) {
    return (
      <EmptyState title="No requests" action={<NextLink to="playground">Send a request from the playground</NextLink>}>
        No request ended in this period.
      </EmptyState>
    )
  }
  const isHourly = Date.parse(to) - Date.parse(from) <= maxHourlyMs
  const times = bucketsOf(from, to, isHourly ? 'hour' : 'day')
  const axis = { times, textOf: (at: string) => (isHourly ? hour : day).format(new Date(at)) }
  return (
    <div className={styles.pictures}>
      <Card title="All requests">
        <Totals failures={failures} onLeft={onLeft} />
        <StackedBars title="Requests by how they ended" {...requestBars(series, axis)} format={countText} />
      </Card>
      <Card title="Failed requests by cause">
        {failed === 0 ? (
          <p className="dimmed">No request failed in this period.</p>
        ) : (
          <StackedBars title="Failed requests by cause" {...causeBars(series, axis)} format={countText} />
        )}
      </Card>
    </div>
  )
}

function Totals({ failures, onLeft }: FailurePicturesProps): ReactNode {
  const { requests, answered, cached, client_left: left, failed } = failures
  const totals = [
    ['Requests', requests],
    ['Answered', answered],
    ['From the cache', cached],
    ['Failed', failed],
  ] as const
  return (
    <dl className={styles.totals}>
      {totals.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{count(value)}</dd>
        </div>
      ))}
      <div>
        <dt>Left by the client</dt>
        <dd>
          {left === 0 ? (
            '0'
          ) : (
            <Button variant="subtle" onClick={onLeft} aria-label={`${count(left)}: list them`}>
              {count(left)}
            </Button>
          )}
        </dd>
      </div>
    </dl>
  )
}
