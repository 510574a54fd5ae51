import { useEffect } from 'react'

interface RunQuery {
  readonly data: { readonly status: string } | undefined
  readonly refetch: () => unknown
}

const pollMs = 2_000

/** Reads a background run again until it has ended; the services send no live messages about its progress. */
export function usePolledRun({ data, refetch }: RunQuery): void {
  const isRunning = data?.status === 'PENDING' || data?.status === 'RUNNING'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => void refetch(), pollMs)
    return () => clearInterval(timer)
  }, [isRunning, refetch])
}
