import type { LiveNotice } from '@ratchet/contracts/live-notice'
import type { NotifyLive } from './live-notifier.ts'

/** Runs `work` after some milliseconds. It must not keep the process alive. */
export type After = (ms: number, work: () => void) => void

const afterTimeout: After = (ms, work) => void setTimeout(work, ms).unref()

/**
 * Publishes at most one notice of a topic and a workspace in `everyMs` milliseconds: the first one at once, and the last one
 * of the others when the time is over. For what may change many times a second.
 */
export function spaceNotices(notify: NotifyLive, everyMs = 1_000, after: After = afterTimeout): NotifyLive {
  /** The notice that waits for each topic of a workspace that had one in the last `everyMs`; null for none. */
  const recent = new Map<string, LiveNotice | null>()

  async function send(key: string, workspaceId: string, notice: LiveNotice): Promise<void> {
    recent.set(key, null)
    after(everyMs, () => {
      const waiting = recent.get(key) ?? null
      recent.delete(key)
      if (waiting !== null) void send(key, workspaceId, waiting)
    })
    await notify(workspaceId, notice)
  }

  return async (workspaceId, notice) => {
    const key = `${workspaceId} ${notice.topic}`
    if (recent.has(key)) recent.set(key, notice)
    else await send(key, workspaceId, notice)
  }
}
