import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'

export interface RecallListenerOptions {
  /** One of its connections listens all the time. */
  readonly pool: Pool
  readonly onRecall: (workspaceId: string) => void
  /** It listens now. Earlier recalls may have been missed, so everything has to be given back. */
  readonly onListening: () => void
  readonly onError: (error: unknown) => void
  /** Milliseconds between two attempts to connect. */
  readonly pauseMs?: number
}

/** Listens for recalls of blocks, and connects again when its connection breaks. The returned function stops it. */
export function listenForRecalls(options: RecallListenerOptions): () => Promise<void> {
  const { onError, pauseMs = 200 } = options
  const stopped = new AbortController()
  const running = run()

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      await listenOnce(options, stopped.signal).catch(onError)
      if (stopped.signal.aborted) return
      await delay(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  return async () => {
    stopped.abort()
    await running
  }
}

/** Resolves or rejects when its connection has ended. */
async function listenOnce({ pool, onRecall, onListening }: RecallListenerOptions, stopped: AbortSignal): Promise<void> {
  const client = await pool.connect()
  try {
    if (stopped.aborted) return
    await new Promise<void>((resolve, reject) => {
      listen(client, { onRecall, onListening, onEnd: resolve, onError: reject })
      stopped.addEventListener('abort', () => resolve(), { once: true })
    })
  } finally {
    client.release(true) // other users of the pool must not get a connection that listens
  }
}

interface Listening {
  readonly onRecall: (workspaceId: string) => void
  readonly onListening: () => void
  readonly onEnd: () => void
  readonly onError: (error: Error) => void
}

function listen(client: PoolClient, { onRecall, onListening, onEnd, onError }: Listening): void {
  client.on('notification', ({ payload }) => {
    if (payload !== undefined && payload !== '') onRecall(payload)
  })
  client.on('error', onError)
  client.on('end', onEnd)
  client.query('LISTEN ledger_recall').then(onListening, onError)
}
