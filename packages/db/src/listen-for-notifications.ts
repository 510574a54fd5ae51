import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from './connect-pool.ts'

export interface ListenOptions {
  /** One of its connections listens all the time. */
  readonly pool: Pool
  /** An identifier. */
  readonly channel: string
  readonly onNotification: (payload: string) => void
  /** It listens now. Earlier notifications may have been missed. */
  readonly onListening: () => void
  /** It does not listen any more, or could not begin to. It tries again. */
  readonly onLost: (error: unknown) => void
  /** Milliseconds until it tries again, after so many failures before this one since it last listened. */
  readonly pauseMs: (failures: number) => number
  /** Milliseconds between two checks of the connection: one that is lost without an end is deaf. */
  readonly checkEveryMs: number
  /** Milliseconds after which a check without an answer has failed; absent: the timeout of the pool's queries. */
  readonly checkTimeoutMs?: number
}

/** Listens for notifications of Postgres, and connects again when the connection breaks. The returned function stops it. */
export function listenForNotifications(options: ListenOptions): () => Promise<void> {
  const { pauseMs, onLost, onListening } = options
  const stopped = new AbortController()
  let failures = 0
  const begun = () => {
    failures = 0
    onListening()
  }
  const run = async () => {
    while (!stopped.signal.aborted) {
      await listenOnce({ ...options, onListening: begun }, stopped.signal).catch(onLost)
      if (stopped.signal.aborted) return
      await delay(pauseMs(failures++), undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }
  const running = run()
  return async () => {
    stopped.abort()
    await running
  }
}

/** Resolves when it is stopped. @throws Error when the connection could not be made, or was lost */
async function listenOnce(options: ListenOptions, stopped: AbortSignal): Promise<void> {
  const client = await options.pool.connect()
  const ended = new AbortController()
  try {
    if (stopped.aborted) return
    await new Promise<void>((resolve, reject) => {
      client.on('error', reject)
      client.on('end', () => reject(new Error('The connection was lost.')))
      stopped.addEventListener('abort', () => resolve(), { once: true, signal: ended.signal })
      listen(options, client, ended.signal).catch(reject)
    })
  } finally {
    ended.abort()
    client.release(true) // other users of the pool must not get a connection that listens
  }
}

/** Listens and checks the connection until `ended`. @throws Error when the connection does not answer */
async function listen(options: ListenOptions, client: PoolClient, ended: AbortSignal): Promise<void> {
  const { channel, onNotification, onListening, checkEveryMs, checkTimeoutMs } = options
  // `query_timeout` is an option of node-postgres for a single query, which its types do not list.
  const ask = (text: string) => client.query({ text, query_timeout: checkTimeoutMs } as { text: string })
  client.on('notification', ({ payload = '' }) => onNotification(payload))
  await ask(`LISTEN ${channel}`)
  onListening()
  for (;;) {
    const isOver = await delay(checkEveryMs, false, { signal: ended }).catch(() => true)
    if (isOver) return
    await ask('SELECT 1')
  }
}
