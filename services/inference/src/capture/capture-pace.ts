import { mebibyte } from '@ratchet/contracts/byte-sizes'

/** Knows which workspaces capture more at present than their share of the log's worker. */
export interface CapturePace {
  /** Counts bytes that a workspace captured. True while it is above its share. */
  add(workspaceId: string, bytes: number): boolean
}

/** A share: bytes per second of one process of inference, and what may come at once. */
const share = { bytesPerSecond: mebibyte, burstBytes: 4 * mebibyte }
/** Workspaces that are remembered before those without a recent capture are removed. */
const maxRemembered = 10_000

interface Level {
  readonly bytes: number
  readonly atMs: number
}

/** @param nowMs milliseconds from any fixed point */
export function createCapturePace(nowMs: () => number, { bytesPerSecond, burstBytes } = share): CapturePace {
  const levels = new Map<string, Level>()
  const present = ({ bytes, atMs }: Level, now: number) =>
    Math.max(0, bytes - (Math.max(0, now - atMs) / 1_000) * bytesPerSecond)

  function removeIdle(now: number): void {
    for (const [workspaceId, level] of levels) if (present(level, now) === 0) levels.delete(workspaceId)
  }

  return {
    add(workspaceId, added) {
      const atMs = nowMs()
      const before = levels.get(workspaceId)
      // Without a limit, a workspace would have to wait for long after its load has ended.
      const bytes = Math.min(2 * burstBytes, (before === undefined ? 0 : present(before, atMs)) + added)
      if (before === undefined && levels.size >= maxRemembered) removeIdle(atMs)
      levels.set(workspaceId, { bytes, atMs })
      return bytes > burstBytes
    },
  }
}
