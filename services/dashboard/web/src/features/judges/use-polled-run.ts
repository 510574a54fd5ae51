import { useEffect } from 'react'

interface RunQuery {
  readonly data: { readonly status: string } | undefined
  readonly refetch: () => unknown
}

const everyMs = 10_000

/** Reads a background run again until it has ended, in case that a live message about it is lost. */
export function usePolledRun({ data, refetch }: RunQuery): void {
  const isRunning = data?.status === 'PENDING' || data?.status === 'RUNNING'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => void refetch(), everyMs)
    return () => clearInterval(timer)
  }, [isRunning, refetch])
}
