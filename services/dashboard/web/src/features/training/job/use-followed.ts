import { useEffect, useEffectEvent, useRef } from 'react'
import { usePolling } from '../../../api/use-polling.ts'

/** Reads something again and again while a job is under way, and once more when it has ended. */
export function useFollowed(read: () => unknown, isActive: boolean, everyMs: number): void {
  usePolling(read, isActive, everyMs)
  const wasActive = useRef(isActive)
  const readLast = useEffectEvent(() => void read())
  useEffect(() => {
    if (wasActive.current && !isActive) readLast()
    wasActive.current = isActive
  }, [isActive])
}
