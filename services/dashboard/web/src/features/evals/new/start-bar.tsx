import { Button, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'

interface StartBarProps {
  readonly reason: string | null
  readonly missing: readonly string[]
  readonly mayStart: boolean
  readonly isPending: boolean
  readonly error: Error | null
  readonly onStart: () => void
}

export function StartBar({ reason, missing, mayStart, isPending, error, onStart }: StartBarProps): ReactNode {
  const waits = missing.length === 0 ? null : `Choose ${missing.join(', ')}.`
  return (
    <Stack gap={12} mt={14} align="flex-start">
      {error && <ErrorState error={error} />}
      <NotPermitted reason={reason ?? waits}>
        {(disabled) => (
          <Button disabled={disabled || !mayStart} loading={isPending} onClick={onStart}>
            Start the eval
          </Button>
        )}
      </NotPermitted>
    </Stack>
  )
}
