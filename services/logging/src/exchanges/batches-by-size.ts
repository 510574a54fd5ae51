export interface BatchOptions<T> {
  readonly bytesOf: (item: T) => number
  readonly maxBytes: number
  readonly maxItems: number
}

/** Splits a list into batches within the limits. An item that exceeds `maxBytes` by itself is a batch of its own. */
export function* batchesBySize<T>(
  items: readonly T[],
  { bytesOf, maxBytes, maxItems }: BatchOptions<T>,
): Generator<readonly T[]> {
  let batch: T[] = []
  let bytes = 0
  for (const item of items) {
    const size = bytesOf(item)
    if (batch.length === maxItems || (batch.length > 0 && bytes + size > maxBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
