/** What inference and the pool know of each other, as rows. */
export interface PoolUseStore {
  /** Notes that versions are used, with their workspaces. */
  note(uses: readonly VersionUse[]): Promise<void>
  /** Has a version loaded soon. */
  wake(use: VersionUse): Promise<void>
  /** The engines that have proven a version now. */
  addresses(use: VersionUse): Promise<readonly string[]>
}

export interface VersionUse {
  /** UUID. */
  readonly versionId: string
  readonly workspaceId: string
}

export interface PoolUses {
  /** Notes a use, at most every ten seconds for a version. It returns at once. */
  noteUse(versionId: string, workspaceId: string): void
  /**
   * Waits until an engine has a version.
   *
   * @param failed addresses that did not answer, which are taken only after a while: then they were looked at again
   * @returns an address; null when there was none in time
   */
  wake(use: VersionUse, failed: readonly string[], stopped: AbortSignal): Promise<string | null>
  /** Writes what was noted. */
  flush(): Promise<void>
}

export interface PoolUsesOptions {
  readonly store: PoolUseStore
  /** Milliseconds from any fixed point. */
  readonly clockMs: () => number
  readonly delay: (ms: number) => Promise<void>
  /** How long a request waits until its version is loaded, milliseconds. */
  readonly maxWaitMs: number
}

const noteEveryMs = 10_000
const wakeEveryMs = 1_000
const pollMs = 100
/** Engines that do not answer are noticed in this time, milliseconds. */
const lookedAtMs = 6_000
/** Versions whose last use is remembered. */
const remembered = 10_000

export function createPoolUses({ store, clockMs, delay, maxWaitMs }: PoolUsesOptions): PoolUses {
  const notedAt = new Map<string, number>()
  const pending = new Map<string, VersionUse>()
  // Many requests may wait for one version.
  const wakeOnce = shared((use) => store.wake(use), { everyMs: wakeEveryMs, clockMs })
  const addressesOf = shared((use) => store.addresses(use), { everyMs: pollMs, clockMs })
  return {
    noteUse(versionId, workspaceId) {
      const nowMs = clockMs()
      if (nowMs - (notedAt.get(versionId) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return
      if (notedAt.size >= remembered) notedAt.clear()
      notedAt.set(versionId, nowMs)
      pending.set(versionId, { versionId, workspaceId })
    },
    async wake(use, failed, stopped) {
      const startMs = clockMs()
      await wakeOnce(use)
      while (!stopped.aborted && clockMs() - startMs < maxWaitMs) {
        const addresses = await addressesOf(use)
        const isLookedAt = clockMs() - startMs >= lookedAtMs
        const found = addresses.find((address) => !failed.includes(address)) ?? (isLookedAt ? addresses[0] : undefined)
        if (found !== undefined) return found
        await delay(pollMs)
      }
      return null
    },
    async flush() {
      const uses = [...pending.values()]
      pending.clear()
      if (uses.length > 0) await store.note(uses)
    },
  }
}

interface Shared {
  readonly everyMs: number
  readonly clockMs: () => number
}

/** Asks for a version at most once in a while, for all who want to know. A failure is asked again. */
function shared<T>(
  ask: (use: VersionUse) => Promise<T>,
  { everyMs, clockMs }: Shared,
): (use: VersionUse) => Promise<T> {
  const asked = new Map<string, { readonly atMs: number; readonly answer: Promise<T> }>()
  return (use) => {
    const nowMs = clockMs()
    const found = asked.get(use.versionId)
    if (found !== undefined && nowMs - found.atMs < everyMs) return found.answer
    if (asked.size >= remembered) asked.clear()
    const answer = ask(use)
    asked.set(use.versionId, { atMs: nowMs, answer })
    answer.catch(() => asked.delete(use.versionId))
    return answer
  }
}
