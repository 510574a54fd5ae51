/** Calls at the same time. */
const concurrency = 8

/** Results in the order of the items, a few of which are made at a time. After a failure nothing more begins. */
export async function inTurns<T, R>(items: readonly T[], make: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const made: R[] = []
  const waiting = [...items.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, item] = next
      try {
        made[index] = await make(item, index)
      } catch (error) {
        waiting.length = 0
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work))
  return made
}
