import { Queue } from 'bullmq'

/**
 * Puts jobs into a queue past the product, whatever they say, each under an id of its own: nothing is recognized as being
 * there already.
 */
export async function ringRaw(redisUrl: string, name: string, jobs: readonly unknown[]): Promise<void> {
  const queue = new Queue(name, { connection: { url: redisUrl } })
  try {
    const opts = { removeOnComplete: true, removeOnFail: true }
    await queue.addBulk(jobs.map((data) => ({ name, data, opts })))
  } finally {
    await queue.close()
  }
}

/** The same in an order of chance. */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
