export interface RunDueOptions {
  /** Ids of work that is due. */
  readonly due: (limit: number) => Promise<readonly string[]>
  readonly run: (id: string) => Promise<void>
  /** Pieces under way at the same time. */
  readonly concurrency: number
}

/** Pieces looked for at once, for each that may be under way. */
const ahead = 8

/** Does all work that is due, a few pieces at a time: a slow one keeps one place, and not the others. */
export async function runDue({ due, run, concurrency }: RunDueOptions): Promise<void> {
  const waiting = [...(await due(concurrency * ahead))]
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await run(id)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}
