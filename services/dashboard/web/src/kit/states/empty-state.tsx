import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './states.module.css'

interface EmptyStateProps {
  readonly title: string
  /** Why there is nothing. */
  readonly children: ReactNode
  /** The one thing to do about it. */
  readonly action?: ReactNode
}

export function EmptyState({ title, children, action }: EmptyStateProps): ReactNode {
  return (
    <div className={styles.state}>
      <Title order={2}>{title}</Title>
      <p className="dimmed">{children}</p>
      {action}
    </div>
  )
}
