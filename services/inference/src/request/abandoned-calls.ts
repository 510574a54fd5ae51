/** A call whose client disconnected, and which continues for a time so that it is charged as it costs. */
export interface AbandonedCall {
  readonly workspaceId: string
  /** Milliseconds for which it may continue. */
  readonly maxMs: number
  /** Ends it now and charges what is known. */
  stop(): void
}

/** The abandoned calls of this process. Their number is limited, because no client waits for them. */
export interface AbandonedCalls {
  readonly size: number
  /** True at the end of a drain: clients do not leave any more, they are disconnected. */
  readonly isExpired: boolean
  /** True when a workspace has so many that it is its own doing if no place is left. */
  hasMany(workspaceId: string): boolean
  /**
   * Lets a call continue until its time or the process is over; then it is stopped. The returned function must be called
   * when it is charged. Null when too many continue already.
   */
  enter(call: AbandonedCall): (() => void) | null
  /** Stops all calls, and every later one at once. */
  expire(): void
  /** Resolves when all calls are charged. */
  charged(): Promise<void>
}

const maxPerWorkspace = 128
const maxPerProcess = 1_024

export function createAbandonedCalls(limits = { maxPerWorkspace, maxPerProcess }): AbandonedCalls {
  const running = new Set<AbandonedCall>()
  const perWorkspace = new Map<string, number>()
  let isExpired = false
  let onEmpty: (() => void)[] = []

  function leave(call: AbandonedCall): void {
    if (!running.delete(call)) return
    const others = (perWorkspace.get(call.workspaceId) ?? 0) - 1
    if (others > 0) perWorkspace.set(call.workspaceId, others)
    else perWorkspace.delete(call.workspaceId)
    if (running.size > 0) return
    for (const resolve of onEmpty) resolve()
    onEmpty = []
  }

  return {
    get size() {
      return running.size
    },
    get isExpired() {
      return isExpired
    },
    hasMany: (workspaceId) => (perWorkspace.get(workspaceId) ?? 0) >= limits.maxPerWorkspace / 8,
    enter(call) {
      const { workspaceId, maxMs } = call
      const others = perWorkspace.get(workspaceId) ?? 0
      if (isExpired || others >= limits.maxPerWorkspace || running.size >= limits.maxPerProcess) return null
      running.add(call)
      perWorkspace.set(workspaceId, others + 1)
      const timer = setTimeout(() => call.stop(), maxMs)
      return () => {
        clearTimeout(timer)
        leave(call)
      }
    },
    expire() {
      isExpired = true
      for (const call of [...running]) call.stop()
    },
    charged: () => (running.size === 0 ? Promise.resolve() : new Promise((resolve) => onEmpty.push(resolve))),
  }
}
