import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { now } from '../../clock.ts'
import { ErrorState } from './error-state.tsx'
import { RowsSkeleton } from './skeletons.tsx'

interface LoadedProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch' | 'isPlaceholderData'>
  readonly skeleton?: ReactNode
  readonly children: (data: T) => ReactNode
}

/** What a query replied, or its loading and error. Old data stays, dimmed, while other input is loaded. */
export function Loaded<T>({ query, skeleton = <RowsSkeleton />, children }: LoadedProps<T>): ReactNode {
  const { data, error, refetch, isPlaceholderData } = query
  const sinceMs = useFailingSince(error !== null)
  if (data !== undefined) {
    return (
      <>
        {error !== null && <ErrorState error={error} sinceMs={sinceMs} onRetry={() => void refetch()} />}
        <div style={isPlaceholderData ? { opacity: 0.55 } : undefined} aria-busy={isPlaceholderData}>
          {children(data)}
        </div>
      </>
    )
  }
  if (error !== null) return <ErrorState error={error} sinceMs={sinceMs} onRetry={() => void refetch()} />
  return skeleton
}

/** When a failure began that still lasts. */
function useFailingSince(fails: boolean): number | undefined {
  const since = useRef<number | undefined>(undefined)
  if (!fails) since.current = undefined
  else since.current ??= now()
  return since.current
}
