import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
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
  const stop = new AbortController()
  let isListening = false
  let failures = 0

  const onError = (error: unknown) => logger.warn({ err: error }, 'listening for work failed')
  const announce = () => {
    for (const listener of listeners) listener()
  }
  const listen = async (client: PoolClient) => {
    client.on('notification', announce)
    await client.query('LISTEN ratchet_work')
    isListening = true
    failures = 0
    announce()
    while (!stop.signal.aborted) {
      if (!(await staysOpen(client, checkEveryMs, stop.signal))) throw new Error('The connection was lost.')
      // A connection that is lost without an end is noticed by this query.
      await client.query('SELECT 1')
    }
  }
  const run = async () => {
    while (!stop.signal.aborted) {
      const client = await pool.connect().catch(onError)
      if (client) await listen(client).catch(onError)
      isListening = false
      client?.release(true)
      await wait(backoff(failures++, delays), undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
  const running = run()
  lifecycle.onStop(() => {
    stop.abort()
    return running
  })
  return { isListening: () => isListening, onChange: (listener) => void listeners.push(listener) }
}

/** Whether the connection is open for this time, or until the process stops. */
async function staysOpen(client: PoolClient, ms: number, stopped: AbortSignal): Promise<boolean> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(ms)])
  // It rejects when the connection broke, and when the signal aborts it.
  const ended = await once(client, 'end', { signal }).then(
    () => true,
    () => !signal.aborted,
  )
  return !ended
}
