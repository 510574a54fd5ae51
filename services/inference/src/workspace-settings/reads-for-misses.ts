import { setTimeout as pause } from 'node:timers/promises'
import type { WorkspaceSettings } from './workspace-settings.ts'

export interface MissOptions {
  /** Reads the settings of the workspace. */
  readonly load: (workspaceId: string) => Promise<WorkspaceSettings>
  /** Milliseconds from any fixed point. */
  readonly clockMs: () => number
  /** Milliseconds between two reads of a workspace for names that are not in memory. */
  readonly everyMs?: number
  readonly wait?: (ms: number) => Promise<unknown>
}

/** Reads of a workspace for names that are not in memory. */
export interface Misses {
  /** When the last one began. */
  readonly lastMs: number
  /** The one that has not begun yet. */
  readonly next: Promise<WorkspaceSettings> | null
}

export const noMisses: Misses = { lastMs: Number.NEGATIVE_INFINITY, next: null }

/**
 * Reads settings again for a request whose name is not in memory. Names that nobody has do not cost a read each: a workspace has
 * few of these reads a second, and requests share the next one. They never share one that has begun, which may have seen the
 * database before the name was there.
 */
export function createReadsForMisses({ load, clockMs, everyMs = 250, wait = pause }: MissOptions) {
  /** @param entry of the workspace, which keeps its misses */
  return (workspaceId: string, entry: { misses: Misses }): Promise<WorkspaceSettings> => {
    const { lastMs, next } = entry.misses
    if (next !== null) return next
    const read = wait(Math.max(0, lastMs + everyMs - clockMs())).then(() => {
      entry.misses = { lastMs: clockMs(), next: null }
      return load(workspaceId)
    })
    entry.misses = { lastMs, next: read }
    return read
  }
}
