/** Equal parts of a time. */
export interface Buckets {
  readonly startMs: number
  readonly bucketMs: number
  readonly count: number
}

/** The part that begins with the time `startMs` of `buckets` equal ones until `endMs`. */
export function bucketsOf(start: Date, end: Date, count: number): Buckets {
  return { startMs: start.getTime(), bucketMs: (end.getTime() - start.getTime()) / count, count }
}

/**
 * Adds up matches by part.
 *
 * @param found number of matches by index of their part, or fewer: those of the oldest parts may not have been counted
 * @param oldestMs creation of the oldest counted match; null: all were counted
 * @returns null for a part of which older matches may not have been counted
 */
export function countsOf(
  { startMs, bucketMs, count }: Buckets,
  found: ReadonlyMap<number, number>,
  oldestMs: number | null,
): readonly (number | null)[] {
  const firstWhole = oldestMs === null ? 0 : Math.floor((oldestMs - startMs) / bucketMs) + 1
  return Array.from({ length: count }, (_none, index) => (index < firstWhole ? null : (found.get(index) ?? 0)))
}
