import { setTimeout as sleep } from 'node:timers/promises'
import { reconnectDelayMs } from '@ratchet/service-kit/process/create-redis'

export interface EndingReconnects {
  /** For the connections of one BullMQ worker. */
  readonly retryStrategy: (attempt: number) => number | null
  /** Lets no connection reconnect any more. Resolves when none waits to do so. */
  end(): Promise<void>
}

/** Milliseconds in which a timer that is due has run. */
const timerSlackMs = 20

/**
 * Reconnects that can be ended before a BullMQ worker closes. ioredis forgets to end a connection that is closed while it
 * waits to reconnect, and BullMQ would wait for that end without limit.
 */
export function createEndingReconnects(): EndingReconnects {
  let isEnding = false
  let waitsUntilMs = 0
  return {
    retryStrategy(attempt) {
      if (isEnding) return null
      const delayMs = reconnectDelayMs(attempt)
      waitsUntilMs = Math.max(waitsUntilMs, performance.now() + delayMs + timerSlackMs)
      return delayMs
    },
    async end() {
      isEnding = true
      await sleep(Math.max(0, waitsUntilMs - performance.now()))
    },
  }
}
