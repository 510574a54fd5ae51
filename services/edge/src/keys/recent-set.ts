/** A bounded set of texts that forgets its oldest members, by count and, where `ttlMs` is given, by age. */
export interface RecentSet {
  has(member: string, nowMs: number): boolean
  add(member: string, nowMs: number): void
  delete(member: string): void
  readonly size: number
}

/** @param ttlMs milliseconds a member stays after it was added; absent = until it is pushed out. */
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
    get size() {
      return addedAt.size
    },
  }
}
