import type { EndUser } from './end-user.ts'

/** Learns the names of end users. */
export interface EndUserNames {
  /** Returns at once. A name that is lost with its process is learnt at the next request. */
  seen(workspaceId: string, user: EndUser): void
  /** Stores the names that are new. @throws what the store throws; they are stored by the next call */
  flush(): Promise<void>
}

export interface SeenEndUser extends EndUser {
  readonly workspaceId: string
}

/**
 * @param maxKnown end users that are not stored again, the ones that were seen first are forgotten first
 * @param maxWaiting names that wait to be stored, at most a fifth of them of one workspace
 */
export function createEndUserNames(
  store: (users: readonly SeenEndUser[]) => Promise<void>,
  { maxKnown = 50_000, maxWaiting = 10_000 } = {},
): EndUserNames {
  const known = new Set<string>()
  const waiting = new Map<string, SeenEndUser>()
  const waitingOf = new Map<string, number>()
  return {
    seen(workspaceId, user) {
      const own = waitingOf.get(workspaceId) ?? 0
      if (known.has(user.id) || waiting.has(user.id) || waiting.size >= maxWaiting || own >= maxWaiting / 5) return
      waitingOf.set(workspaceId, own + 1)
      waiting.set(user.id, { ...user, workspaceId })
    },
    async flush() {
      if (waiting.size === 0) return
      const users = [...waiting.values()]
      await store(users)
      for (const { id, workspaceId } of users) {
        waiting.delete(id)
        const left = (waitingOf.get(workspaceId) ?? 1) - 1
        if (left === 0) waitingOf.delete(workspaceId)
        else waitingOf.set(workspaceId, left)
        known.add(id)
        const [first] = known
        if (known.size > maxKnown && first !== undefined) known.delete(first)
      }
    },
  }
}
