import type { Pool } from '@ratchet/db/connect-pool'
import { listenForNotifications } from '@ratchet/db/listen-for-notifications'

export interface RecallListenerOptions {
  /** One of its connections listens all the time. */
  readonly pool: Pool
  readonly onRecall: (workspaceId: string) => void
  /** It listens now. Earlier recalls may have been missed, so everything has to be given back. */
  readonly onListening: () => void
  readonly onError: (error: unknown) => void
  /** Milliseconds between two attempts to connect. */
  readonly pauseMs?: number
  /** Milliseconds between two checks of the connection. */
  readonly checkEveryMs?: number
  /** Milliseconds after which a check without an answer has failed. */
  readonly checkTimeoutMs?: number
}

/** Listens for recalls of blocks. The returned function stops it. */
export function listenForRecalls(options: RecallListenerOptions): () => Promise<void> {
  const { pool, onRecall, onListening, onError, pauseMs = 200 } = options
  const { checkEveryMs = 5_000, checkTimeoutMs = 2_000 } = options
  return listenForNotifications({
    pool,
    channel: 'ledger_recall',
    onNotification(workspaceId) {
      if (workspaceId !== '') onRecall(workspaceId)
    },
    onListening,
    onLost: onError,
    pauseMs: () => pauseMs,
    checkEveryMs,
    checkTimeoutMs,
  })
}
