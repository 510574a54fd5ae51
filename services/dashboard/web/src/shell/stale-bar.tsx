import type { ReactNode } from 'react'
import { useLive } from '../api/live-context.ts'
import { clockTime } from '../kit/time.ts'
import styles from './shell.module.css'

/** Says that the numbers may be old, and since when. */
export function StaleBar(): ReactNode {
  const { mode, sinceMs } = useLive()
  if (mode !== 'offline') return null
  return (
    <div className={styles.stale} role="status">
      Not live since {clockTime(sinceMs)}: this browser has no network. Numbers are of that time.
    </div>
  )
}
