import { listEvents } from '@ratchet/contracts/dashboard/events'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Card } from '../../kit/page.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import { eventWords } from './event-words.ts'
import styles from './home.module.css'
import { MarkedLine } from './marked-line.tsx'

/** What happened by itself in the last days; nothing when nothing did. */
export function EventList(): ReactNode {
  const events = useEndpoint(listEvents, {}, { topics: ['aliases', 'setup', 'logs'] }).data?.data ?? []
  if (events.length === 0) return null
  return (
    <Card title="Happened by itself">
      <ul className={styles.needs}>
        {events.map((event) => (
          <MarkedLine key={event.id} {...eventWords(event)}>
            <span className="dimmed">
              <TimeText at={event.at} />
            </span>
          </MarkedLine>
        ))}
      </ul>
    </Card>
  )
}
