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
  /** Milliseconds between two checks of the connection: one that is lost without an end is deaf. */
  readonly checkEveryMs?: number
  /** Milliseconds after which a check without an answer has failed. */
  readonly checkTimeoutMs?: number
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
async function listenOnce(options: RecallListenerOptions, stopped: AbortSignal): Promise<void> {
  const client = await options.pool.connect()
  const ended = new AbortController()
  try {
    if (stopped.aborted) return
    await new Promise<void>((resolve, reject) => {
      client.on('error', reject)
      client.on('end', resolve)
      stopped.addEventListener('abort', () => resolve(), { once: true, signal: ended.signal })
      listen(options, client, ended.signal).catch(reject)
    })
  } finally {
    ended.abort()
    client.release(true) // other users of the pool must not get a connection that listens
  }
}

/** Listens and checks the connection until `ended`. Rejects when the connection does not answer. */
async function listen(options: RecallListenerOptions, client: PoolClient, ended: AbortSignal): Promise<void> {
  const { onRecall, onListening, checkEveryMs = 5_000, checkTimeoutMs = 2_000 } = options
  // `query_timeout` is an option of node-postgres for a single query, which its types do not list
  const ask = (text: string) => client.query({ text, query_timeout: checkTimeoutMs } as { text: string })
  client.on('notification', ({ payload }) => {
    if (payload !== undefined && payload !== '') onRecall(payload)
  })
  await ask('LISTEN ledger_recall')
  onListening()
  for (;;) {
    const isOver = await delay(checkEveryMs, false, { signal: ended }).catch(() => true)
    if (isOver) return
    await ask('SELECT 1')
  }
}
