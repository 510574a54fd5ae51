import { Button, Checkbox } from '@mantine/core'
import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'
import { type FineTuningEvent, listFineTuningEvents } from '@ratchet/contracts/fine-tuning-progress'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { useList } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { RowsSkeleton } from '../../../kit/states/skeletons.tsx'
import { exactTime } from '../../../kit/time.ts'
import styles from '../training.module.css'
import { isoOfSeconds, isUnderWay } from '../words.ts'
import { eventLines } from './event-lines.ts'
import { useFollowed } from './use-followed.ts'

const pageSize = 200
const pollMs = 3_000

/** What happened to a job, the newest at the end, where it stays while new events come. */
export function EventLog({ job }: { readonly job: FineTuningJob }): ReactNode {
  const [withFigures, setWithFigures] = useState(false)
  const events = useList(listFineTuningEvents, { params: { id: job.id }, pageSize })
  // All pages that are shown are read again, so more of them are read less often.
  useFollowed(events.refetch, isUnderWay(job), pollMs * Math.max(1, Math.ceil(events.rows.length / pageSize)))
  const lines = eventLines(events.rows, withFigures)
  return (
    <Card
      title="Events"
      actions={
        <Checkbox
          label="With the figures of steps"
          checked={withFigures}
          onChange={({ currentTarget }) => setWithFigures(currentTarget.checked)}
        />
      }
    >
      {events.isPending && <RowsSkeleton />}
      {events.error !== null && <ErrorState error={events.error} onRetry={() => void events.refetch()} />}
      {!events.isPending && (
        <div style={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 8 }}>
          {events.hasNextPage && (
            <div>
              <Button variant="default" loading={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
                Show earlier events
              </Button>
            </div>
          )}
          <Lines lines={lines} />
        </div>
      )}
    </Card>
  )
}

/** Pixels from the end within which a person reads the newest event. */
const nearEnd = 24

function Lines({ lines }: { readonly lines: readonly FineTuningEvent[] }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  const newest = lines.at(-1)?.id
  useLayoutEffect(() => {
    if (newest !== undefined && follows.current) box.current?.scrollTo(0, box.current.scrollHeight)
  }, [newest])
  if (lines.length === 0) return <p className="dimmed">Nothing has happened yet.</p>
  return (
    <div
      ref={box}
      role="log"
      className={styles.log}
      aria-label="Log of the job"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls in itself, so keys must reach it
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < nearEnd
      }}
    >
      <ol>
        {lines.map(({ id, created_at: at, level, message }) => (
          <li key={id} data-level={level}>
            <time dateTime={isoOfSeconds(at)}>{exactTime(isoOfSeconds(at)).split(', ').at(-1)}</time>
            <p>
              {level !== 'info' && <strong>{level === 'warn' ? 'Warning: ' : 'Error: '}</strong>}
              {message}
            </p>
          </li>
        ))}
      </ol>
    </div>
  )
}
