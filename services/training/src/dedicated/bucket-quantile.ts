/** The bucket of so many milliseconds: the lowest `i` with `ms ≤ 2^(i/2)`. */
export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(2 * Math.log2(ms))
}

/**
 * A quantile of counted milliseconds: the upper end of its bucket, which is at most 1.42 times the true value.
 *
 * @param counts by number of bucket
 * @param share in (0, 1]
 * @returns null without any
 */
export function bucketQuantile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const sorted = [...counts].filter(([, count]) => count > 0).sort(([left], [right]) => left - right)
  const all = sorted.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.ceil(share * all)
  for (const [bucket, count] of sorted) {
    left -= count
    if (left <= 0) return Math.round(2 ** (bucket / 2))
  }
  return null
}
