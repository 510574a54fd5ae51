/** A set of texts that drops its oldest members when it is full and, with `ttlMs`, when they are too old. */
export interface RecentSet {
  has(member: string, nowMs: number): boolean
  add(member: string, nowMs: number): void
  delete(member: string): void
  clear(): void
  readonly size: number
}

/** @param ttlMs milliseconds until a member is dropped; absent: never because of its age */
export function createRecentSet(maxMembers: number, ttlMs = Number.POSITIVE_INFINITY): RecentSet {
  const addedAt = new Map<string, number>()
  return {
    has(member, nowMs) {
      const at = addedAt.get(member)
      return at !== undefined && nowMs - at < ttlMs
    },
    add(member, nowMs) {
      addedAt.delete(member)
      addedAt.set(member, nowMs)
      if (addedAt.size > maxMembers) addedAt.delete(addedAt.keys().next().value as string)
    },
    delete: (member) => void addedAt.delete(member),
    clear: () => addedAt.clear(),
    get size() {
      return addedAt.size
    },
  }
}
