import { Queue } from 'bullmq'

/**
 * Adds jobs with any payload directly to a queue, each under a new id, so that none is recognized as a duplicate.
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

/** Returns the items in a random order. */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
