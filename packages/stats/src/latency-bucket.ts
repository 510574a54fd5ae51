import { requireAmount, requireCount } from './require-arguments.ts'

/** Ratio of the ends of adjacent buckets, so a quantile that is computed from them is at most 5 % too high. */
const growth = 1.05

/** The last bucket; it ends after three days, and also counts everything that took longer. */
const lastBucket = 400

/**
 * The bucket of a latency: the first that ends at it or above. Counts of the same bucket can be added over processes, so that
 * quantiles over all processes can be computed.
 *
 * @param ms milliseconds ≥ 0
 * @returns a whole number in 0..400
 * @throws RangeError when the value is negative or not finite
 * @example latencyBucket(100) // 95
 */
export function latencyBucket(ms: number): number {
  requireAmount('ms', ms)
  const near = Math.ceil(Math.log(Math.max(ms, 1)) / Math.log(growth))
  // A logarithm that was rounded may be on the wrong side of a boundary.
  const bucket = near > 0 && growth ** (near - 1) >= ms ? near - 1 : growth ** near < ms ? near + 1 : near
  return Math.min(bucket, lastBucket)
}

/**
 * The longest latency of a bucket.
 *
 * @param bucket 0..400
 * @returns milliseconds
 * @throws RangeError when the bucket does not exist
 * @example bucketLatencyMs(95) // 103.03
 */
export function bucketLatencyMs(bucket: number): number {
  requireCount('bucket', bucket)
  if (bucket > lastBucket) throw new RangeError(`bucket must be in 0..${lastBucket}, got ${bucket}`)
  return growth ** bucket
}

/**
 * A quantile of latencies that are counted by bucket: the end of the bucket in which it is.
 *
 * @param counts answers of each bucket
 * @param quantile above 0, at most 1, such as 0.95
 * @returns milliseconds, at most 5 % too high; null without answers
 */
export function bucketQuantileMs(counts: ReadonlyMap<number, number>, quantile: number): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  let upTo = 0
  for (const [bucket, count] of [...counts].sort(([a], [b]) => a - b)) {
    upTo += count
    if (count > 0 && upTo >= quantile * total) return bucketLatencyMs(bucket)
  }
  return null
}
