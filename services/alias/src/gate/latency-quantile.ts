import { betaBinomialSequence } from '@ratchet/stats/beta-binomial-sequence'
import { bucketLatencyMs } from '@ratchet/stats/latency-bucket'
import type { LatencyCounts } from './arm-counts.ts'

/** A quantile of latencies, milliseconds. It is as precise as the buckets are wide. */
export interface LatencyQuantile {
  readonly estimateMs: number
  readonly lowMs: number
  /** Null without an upper bound. */
  readonly highMs: number | null
}

/**
 * A quantile of the counted latencies with a confidence sequence. The share of answers up to each latency has a sequence,
 * and the bounds of the quantile are the latencies whose sequence contains `quantile`.
 *
 * @param quantile between 0 and 1, such as 0.95
 * @param alpha chance that the sequence ever misses the true quantile
 * @returns null without answers
 */
export function latencyQuantile(
  counts: LatencyCounts,
  { quantile, alpha }: { readonly quantile: number; readonly alpha: number },
): LatencyQuantile | null {
  const buckets = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return null
  let upTo = 0
  const shares = buckets.map(([bucket, count]) => {
    upTo += count
    return { bucket, upTo }
  })
  const sequenceAt = (share: Share) => betaBinomialSequence(share.upTo, total, alpha)
  const mayBeBelowAll = betaBinomialSequence(0, total, alpha).high >= quantile
  const estimate = firstWhere(shares, (share) => share.upTo / total >= quantile)
  const low = firstWhere(shares, (share) => sequenceAt(share).high >= quantile)
  const high = firstWhere(shares, (share) => sequenceAt(share).low >= quantile)
  return {
    estimateMs: bucketLatencyMs(estimate?.bucket ?? 0),
    // A latency may be anywhere in its bucket. With few answers the quantile may be below all of them.
    lowMs: mayBeBelowAll || low === undefined || low.bucket === 0 ? 0 : bucketLatencyMs(low.bucket - 1),
    highMs: high === undefined ? null : bucketLatencyMs(high.bucket),
  }
}

/** Number of answers up to and including a bucket. */
interface Share {
  readonly bucket: number
  readonly upTo: number
}

/** The first share for which `holds` is true; it must then be true for all later ones. */
function firstWhere(shares: readonly Share[], holds: (share: Share) => boolean): Share | undefined {
  let [from, to] = [0, shares.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const share = shares[middle]
    if (share !== undefined && holds(share)) to = middle
    else from = middle + 1
  }
  return shares[from]
}
