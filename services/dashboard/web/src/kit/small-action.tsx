import { Button, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

interface SmallActionProps {
  /** Why the person may not do it; null when they may. */
  readonly reason?: string | null
  readonly isRunning: boolean
  readonly error: unknown
  readonly onPress: () => void
  readonly children: ReactNode
}

/** A button in a row. Why it is disabled, and what went wrong, are its description. */
export function SmallAction({ reason = null, isRunning, error, onPress, children }: SmallActionProps): ReactNode {
  const note = reason ?? (error instanceof Error ? error.message : null)
  const button = (
    <Button
      variant="subtle"
      size="compact-sm"
      {...(reason === null ? {} : { 'data-disabled': true })}
      loading={isRunning}
      onClick={() => reason === null && onPress()}
    >
      {children}
    </Button>
  )
  if (note === null) return button
  return (
    <>
      <Tooltip label={note}>{button}</Tooltip>
      {reason === null && (
        <div role="alert" style={{ color: 'var(--state-wrong)', whiteSpace: 'normal' }}>
          {note}
        </div>
      )}
    </>
  )
}
