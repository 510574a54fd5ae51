import { useEffect, useEffectEvent } from 'react'

/**
 * Reads again every some milliseconds while something is under way, in case that a message about it is lost. A hidden page
 * sleeps, and reads at once when it is seen again.
 */
export function usePolling(read: () => unknown, isActive: boolean, everyMs = 2_000): void {
  const again = useEffectEvent(() => {
    if (document.visibilityState === 'visible') void read()
  })
  useEffect(() => {
    if (!isActive) return
    const onSeen = () => again()
    const timer = setInterval(onSeen, everyMs)
    document.addEventListener('visibilitychange', onSeen)
    document.addEventListener('resume', onSeen)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', onSeen)
      document.removeEventListener('resume', onSeen)
    }
  }, [isActive, everyMs])
}
