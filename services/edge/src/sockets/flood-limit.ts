const minuteMs = 60_000

/** What one client may send in a minute: messages that are refused; pings, and pongs that nobody asked for. */
export const floodLimits = { refused: 100, control: 1_000 } as const

/**
 * Counts what a client sends, in windows of a minute.
 *
 * @param most of one window
 * @param nowMs a clock that never goes back
 * @returns counts one more; false: it is one too many
 */
export function limitPerMinute(most: number, nowMs: () => number = () => performance.now()): () => boolean {
  let sinceMs = nowMs()
  let count = 0
  return () => {
    if (nowMs() - sinceMs >= minuteMs) {
      sinceMs = nowMs()
      count = 0
    }
    count += 1
    return count <= most
  }
}
