import type { AbuseGuardStore } from './abuse-guard-store.ts'

export interface MemoryAbuseGuard extends AbuseGuardStore {
  /** Number of calls that it has for a workspace. */
  held(workspaceId: string): number
  /** Gives a workspace a limit of its own. */
  allow(workspaceId: string, calls: number): void
}

/** An abuse guard in memory, for one process. */
export function memoryAbuseGuard(now: () => Date): MemoryAbuseGuard {
  const callsAt = new Map<string, number[]>()
  const ownLimits = new Map<string, number>()
  return {
    held: (workspaceId) => callsAt.get(workspaceId)?.length ?? 0,
    allow: (workspaceId, calls) => void ownLimits.set(workspaceId, calls),
    async admit(workspaceId, { windowSeconds, ...limit }) {
      const calls = ownLimits.get(workspaceId) ?? limit.calls
      const nowMs = now().getTime()
      const recent = (callsAt.get(workspaceId) ?? []).filter((at) => at > nowMs - windowSeconds * 1000)
      callsAt.set(workspaceId, recent)
      if (recent.length < calls) {
        recent.push(nowMs)
        return { kind: 'admitted' }
      }
      const oldest = recent[recent.length - calls] ?? nowMs
      return { kind: 'refused', calls, retryAfterSeconds: (oldest + windowSeconds * 1000 - nowMs) / 1000 }
    },
    async prune(windowSeconds) {
      const oldest = now().getTime() - windowSeconds * 1000
      for (const [id, at] of callsAt)
        callsAt.set(
          id,
          at.filter((call) => call >= oldest),
        )
    },
  }
}
