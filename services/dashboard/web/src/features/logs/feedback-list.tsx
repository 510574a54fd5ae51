import type { Feedback } from '@ratchet/contracts/feedback'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { StateLabel } from '../../kit/state-mark.tsx'
import { EmptyState } from '../../kit/states/empty-state.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import styles from './logs.module.css'

interface FeedbackListProps {
  readonly feedback: readonly Feedback[]
  /** Called when an opinion is on the screen: a grade after that is not blind. */
  readonly onSeen: () => void
}

/** What users of the application thought of an answer. */
export function FeedbackList({ feedback, onSeen }: FeedbackListProps): ReactNode {
  if (feedback.length === 0) {
    return <EmptyState title="No feedback">No user has said anything about this answer.</EmptyState>
  }
  return <Opinions feedback={feedback} onSeen={onSeen} />
}

function Opinions({ feedback, onSeen }: FeedbackListProps): ReactNode {
  const seen = useEffectEvent(onSeen)
  useEffect(() => seen(), [])
  return (
    <div className={styles.panel}>
      {feedback.map((each) => (
        <article key={each.id}>
          <div className={styles.line}>
            {each.rating !== null && (
              <StateLabel state={each.rating === 'up' ? 'proven' : 'wrong'}>thumbs {each.rating}</StateLabel>
            )}
            <span className="dimmed">
              {each.score !== null && `score ${each.score} · `}
              {each.trace_id !== null && 'about the whole run · '}
              <TimeText at={each.created_at} />
            </span>
          </div>
          {each.comment !== null && <p style={{ margin: '4px 0 0', overflowWrap: 'anywhere' }}>{each.comment}</p>}
        </article>
      ))}
    </div>
  )
}
