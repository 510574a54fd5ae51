import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { now } from '../clock.ts'
import { createHeardClock, startLive } from './live.ts'
import { type Live, LiveContext } from './live-context.ts'
import { liveModeOf } from './live-mode.ts'

const checkMs = 5_000
const pollMs = 5_000

/** Reads again what a live message says has changed, and everything on screen after messages may have been lost. */
export function LiveProvider({ slug, children }: { readonly slug: string; readonly children: ReactNode }): ReactNode {
  const queries = useQueryClient()
  const [live, setLive] = useState<Live>(() => ({ mode: 'live', sinceMs: now(), pollMs: false }))
  useEffect(() => {
    const clock = createHeardClock()
    const startedMs = now()
    const update = () => {
      const mode = liveModeOf(clock.lastHeardMs() ?? startedMs, now(), navigator.onLine)
      setLive((before) =>
        before.mode === mode ? before : { mode, sinceMs: now(), pollMs: mode === 'live' ? false : pollMs },
      )
    }
    const stop = startLive({
      slug,
      onMessage: (message) => {
        clock.mark()
        update()
        if (message.kind === 'topic') void readAgain(queries, message.topic)
        if (message.kind === 'gap') void queries.invalidateQueries({ refetchType: 'active' })
      },
    })
    const timer = setInterval(update, checkMs)
    for (const event of ['online', 'offline']) window.addEventListener(event, update)
    return () => {
      stop()
      clearInterval(timer)
      for (const event of ['online', 'offline']) window.removeEventListener(event, update)
    }
  }, [slug, queries])
  return <LiveContext value={live}>{children}</LiveContext>
}

function readAgain(queries: QueryClient, topic: string) {
  return queries.invalidateQueries({
    predicate: ({ meta }) => ((meta?.topics ?? []) as readonly string[]).includes(topic),
  })
}
