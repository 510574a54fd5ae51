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

/** @param maxKnown end users that are not stored again, the ones that were seen first are forgotten first */
export function createEndUserNames(
  store: (users: readonly SeenEndUser[]) => Promise<void>,
  { maxKnown = 50_000, maxWaiting = 10_000 } = {},
): EndUserNames {
  const known = new Set<string>()
  const waiting = new Map<string, SeenEndUser>()
  return {
    seen(workspaceId, user) {
      if (known.has(user.id) || waiting.has(user.id) || waiting.size >= maxWaiting) return
      waiting.set(user.id, { ...user, workspaceId })
    },
    async flush() {
      if (waiting.size === 0) return
      const users = [...waiting.values()]
      await store(users)
      for (const { id } of users) {
        waiting.delete(id)
        known.add(id)
        const [first] = known
        if (known.size > maxKnown && first !== undefined) known.delete(first)
      }
    },
  }
}
