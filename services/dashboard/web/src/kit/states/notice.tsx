import type { ReactNode } from 'react'
import { type State, StateMark } from '../state-mark.tsx'
import styles from './states.module.css'

interface NoticeProps {
  readonly state: State
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** A sentence that matters, with the shape and colour of its state. */
export function Notice({ state, children, action }: NoticeProps): ReactNode {
  return (
    <div className={styles.notice} data-state={state}>
      <StateMark state={state} size={14} />
      <span style={{ flex: 1, minWidth: 200 }}>{children}</span>
      {action}
    </div>
  )
}
