import { listEvents } from '@ratchet/contracts/dashboard/events'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Card } from '../../kit/page.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { eventWords } from './event-words.ts'
import styles from './home.module.css'
import { MarkedLine } from './marked-line.tsx'

/** What happened by itself in the last days; nothing when nothing did. */
export function EventList(): ReactNode {
  const events = useEndpoint(listEvents, {}, { topics: ['aliases', 'judges', 'logs'] })
  const isEmpty = (events.data?.data ?? []).length === 0
  if (isEmpty && events.error === null) return null
  return (
    <Card title="Happened by itself">
      <Loaded query={events}>
        {({ data }) => (
          <ul className={styles.needs}>
            {data.map((event) => (
              <MarkedLine key={event.id} {...eventWords(event)}>
                <span className="dimmed">
                  <TimeText at={event.at} />
                </span>
              </MarkedLine>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}
