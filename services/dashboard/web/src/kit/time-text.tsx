import { type ReactNode, useSyncExternalStore } from 'react'
import { now } from '../clock.ts'
import { exactTime, relativeTime } from './time.ts'

/** A time as distance from now; the exact time is its title. */
export function TimeText({ at, empty = 'never' }: { readonly at: string | null; readonly empty?: string }): ReactNode {
  const minuteMs = useMinute()
  if (at === null) return <span className="dimmed">{empty}</span>
  return (
    <time dateTime={at} title={exactTime(at)} style={{ whiteSpace: 'nowrap' }}>
      {relativeTime(at, minuteMs)}
    </time>
  )
}

const minute = 60_000
let minuteMs = now()
const listeners = new Set<() => void>()

/** The present time, which changes once a minute for all parts at once. */
export function useMinute(): number {
  return useSyncExternalStore(subscribe, () => minuteMs)
}

let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (now() - minuteMs > minute) minuteMs = now()
  timer ??= setInterval(() => {
    minuteMs = now()
    for (const each of listeners) each()
  }, minute)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
