export interface DueRunnerOptions {
  /** Ids of work that is due. */
  readonly due: (limit: number) => Promise<readonly string[]>
  /** Rejects for nothing that concerns other work. */
  readonly run: (id: string) => Promise<void>
  /** Pieces under way at the same time. */
  readonly concurrency: number
  readonly onError: (error: unknown) => void
}

export interface DueRunner {
  /** Takes on what is due, as far as there is room; to be called again and again. */
  fill(): Promise<void>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

/** Does work that is due, some pieces at a time: one that takes long keeps its own place, and none of the others. */
export function createDueRunner({ due, run, concurrency, onError }: DueRunnerOptions): DueRunner {
  const underWay = new Map<string, Promise<void>>()
  const start = (id: string) => {
    const work = run(id)
      .catch(onError)
      .finally(() => underWay.delete(id))
    underWay.set(id, work)
  }
  return {
    async fill() {
      while (underWay.size < concurrency) {
        const found = (await due(2 * concurrency)).filter((id) => !underWay.has(id))
        for (const id of found.slice(0, concurrency - underWay.size)) start(id)
        if (found.length === 0) return
        await Promise.race(underWay.values())
      }
    },
    idle: async () => void (await Promise.all(underWay.values())),
  }
}
