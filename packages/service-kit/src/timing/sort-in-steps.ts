/** Items that are sorted without a turn for others, which takes about 2 ms. */
const runLength = 1_000

/** Sorts a list as `toSorted` does, and yields from time to time. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<void, readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let from = 0; from < items.length; from += runLength) {
    runs.push(items.slice(from, from + runLength).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

/** Of equal items, those of the first list come first. */
function* merge<T>(first: readonly T[], second: readonly T[], compare: (a: T, b: T) => number) {
  const merged: T[] = []
  let at = 0
  for (const [index, other] of second.entries()) {
    for (; at < first.length && compare(first[at] as T, other) <= 0; at++) merged.push(first[at] as T)
    merged.push(other)
    if (index % runLength === 0) yield
  }
  return [...merged, ...first.slice(at)]
}
