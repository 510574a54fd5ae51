/** Concurrent reads of one draw. */
const batchSize = 8

/** Maps values with limited concurrency. Results are in the order of the values. */
export async function mapInBatches<T, R>(values: readonly T[], read: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < values.length; from += batchSize) {
    results.push(...(await Promise.all(values.slice(from, from + batchSize).map(read))))
  }
  return results
}
