import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'

interface Read {
  readonly error: unknown
  readonly data: unknown
  readonly refetch: () => unknown
}

/** That a form could not read what it offers to choose from, with one button that reads all of it again. */
export function FailedReads({ of: reads }: { readonly of: readonly Read[] }): ReactNode {
  const failed = reads.filter(({ error, data }) => error !== null && data === undefined)
  const [first] = failed
  if (first === undefined) return null
  const readAgain = () => {
    for (const read of failed) void read.refetch()
  }
  return <ErrorState error={first.error} onRetry={readAgain} />
}
