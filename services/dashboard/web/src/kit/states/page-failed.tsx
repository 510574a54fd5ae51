import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'

/** A page that cannot be shown. Also the boundary for errors of our own code: the shell stays. */
export function PageFailed({ error, reset }: ErrorComponentProps): ReactNode {
  return <ErrorState error={error} onRetry={reset} />
}
