import type { ReactNode } from 'react'

interface NotPermittedProps {
  /** Why the control is disabled; null when it is not. */
  readonly reason: string | null
  readonly children: (disabled: boolean) => ReactNode
}

/** A control that is never hidden: without the right it is disabled, and the reason stands beside it. */
export function NotPermitted({ reason, children }: NotPermittedProps): ReactNode {
  return (
    <span style={{ display: 'inline-flex', flexWrap: 'wrap', alignItems: 'center', gap: 8 }}>
      {children(reason !== null)}
      {reason !== null && (
        <span className="dimmed" style={{ fontSize: '0.8125rem' }}>
          {reason}
        </span>
      )}
    </span>
  )
}
