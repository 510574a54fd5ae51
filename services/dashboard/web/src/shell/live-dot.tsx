import type { ReactNode } from 'react'
import { useLive } from '../api/live-context.ts'
import type { LiveMode } from '../api/live-mode.ts'
import { StateMark } from '../kit/state-mark.tsx'
import { clockTime } from '../kit/time.ts'
import styles from './shell.module.css'

const words: Record<LiveMode, string> = { live: 'live', polling: 'polling', offline: 'offline' }
const states = { live: 'proven', polling: 'open', offline: 'wrong' } as const

/** Whether what is on screen follows the server. */
export function LiveDot(): ReactNode {
  const { mode, sinceMs } = useLive()
  const details = {
    live: 'The page follows the server.',
    polling: `No messages since ${clockTime(sinceMs)}. The page asks every 5 seconds.`,
    offline: `This browser has no network since ${clockTime(sinceMs)}.`,
  }[mode]
  return (
    <span className={styles.live} role="status" title={details}>
      <StateMark state={states[mode]} size={10} />
      <span className={styles.liveWord}>{words[mode]}</span>
    </span>
  )
}
