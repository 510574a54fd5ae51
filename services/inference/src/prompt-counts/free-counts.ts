export interface FreeCountLimits {
  /** Counts of one workspace at a time. */
  readonly maxOfWorkspace?: number
  /** Counts of all workspaces at a time, far fewer than the tokenizer has places for. */
  readonly maxOfAll?: number
}

/**
 * Admits few free counts at a time, so that they never take the places of the tokenizer from counts for charges, and one
 * workspace does not take them from others.
 */
export function createFreeCounts({ maxOfWorkspace = 2, maxOfAll = 16 }: FreeCountLimits = {}) {
  const running = new Map<string, number>()
  let total = 0
  return {
    /** What `count` resolves to; null without a call of it while too many are running. */
    async run(workspaceId: string, count: () => Promise<number | null>): Promise<number | null> {
      const own = running.get(workspaceId) ?? 0
      if (own >= maxOfWorkspace || total >= maxOfAll) return null
      running.set(workspaceId, own + 1)
      total += 1
      try {
        return await count()
      } finally {
        total -= 1
        const left = (running.get(workspaceId) ?? 1) - 1
        if (left === 0) running.delete(workspaceId)
        else running.set(workspaceId, left)
      }
    },
  }
}

export type FreeCounts = ReturnType<typeof createFreeCounts>
