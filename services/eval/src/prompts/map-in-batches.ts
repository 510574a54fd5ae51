/** Reads that one draw has under way at the same time. */
const batchSize = 8

/** What becomes of each value, in their order, a few at a time. */
export async function mapInBatches<T, R>(values: readonly T[], read: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < values.length; from += batchSize) {
    results.push(...(await Promise.all(values.slice(from, from + batchSize).map(read))))
  }
  return results
}
