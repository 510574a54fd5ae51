/** What a batch holds at most; one larger item is a batch by itself. */
const batchBytes = 8 * 1024 * 1024
const batchItems = 200

/** Cuts a list where what is read next would be too much at once. */
export function* batchesBySize<T>(items: readonly T[], bytesOf: (item: T) => number): Generator<readonly T[]> {
  let batch: T[] = []
  let bytes = 0
  for (const item of items) {
    const size = bytesOf(item)
    if (batch.length === batchItems || (batch.length > 0 && bytes + size > batchBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(item)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
