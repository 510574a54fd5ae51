import type { Pool } from '@ratchet/db/connect-pool'
import { listenForNotifications } from '@ratchet/db/listen-for-notifications'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { backoff } from '@ratchet/service-kit/timing/backoff'
import type { Logger } from 'pino'
import type { WorkChanges } from './work-changes.ts'

export interface ListenOptions {
  /** One of its connections listens until the process stops. */
  readonly pool: Pool
  readonly lifecycle: Pick<Lifecycle, 'onStop'>
  readonly logger: Pick<Logger, 'warn'>
  /** Interval between checks of the connection, milliseconds. */
  readonly checkEveryMs?: number
}

const delays = { firstMs: 500, maxMs: 30_000 }

/** Listens for the notifications that the database sends for new work; see `notify_work` in its migrations. */
export function listenForWork({ pool, lifecycle, logger, checkEveryMs = 30_000 }: ListenOptions): WorkChanges {
  const listeners: (() => void)[] = []
  let isListening = false
  const announce = () => {
    for (const listener of listeners) listener()
  }
  const stop = listenForNotifications({
    pool,
    channel: 'ratchet_work',
    onNotification: announce,
    onListening() {
      isListening = true
      announce()
    },
    onLost(error) {
      isListening = false
      logger.warn({ err: error }, 'listening for work failed')
    },
    pauseMs: (failures) => backoff(failures, delays),
    checkEveryMs,
  })
  lifecycle.onStop(stop)
  return { isListening: () => isListening, onChange: (listener) => void listeners.push(listener) }
}
