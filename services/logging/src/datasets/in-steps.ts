/** Maps a list, and yields after each item. */
export function* mapInSteps<T, R>(items: readonly T[], of: (item: T) => R): Generator<void, readonly R[]> {
  const mapped: R[] = []
  for (const item of items) {
    mapped.push(of(item))
    yield
  }
  return mapped
}

/** The distinct values of the items, and yields after each item. */
export function* distinctInSteps<T, R>(
  items: readonly T[],
  valuesOf: (item: T) => readonly R[],
): Generator<void, ReadonlySet<R>> {
  const found = new Set<R>()
  for (const item of items) {
    for (const each of valuesOf(item)) found.add(each)
    yield
  }
  return found
}
