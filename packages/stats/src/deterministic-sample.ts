import { createHash } from 'node:crypto'

const BUCKETS = 10_000

/**
 * The bucket of a request for a criterion: always the same, and independent between criteria.
 *
 * @returns a whole number in 0..9999, evenly spread
 * @example samplingBucket('crit_a', 'req_1') // 3403
 */
export function samplingBucket(criterionId: string, logId: string): number {
  return createHash('sha256').update(`${criterionId}:${logId}`).digest().readUInt32BE(0) % BUCKETS
}

/**
 * True when a request belongs to the share of traffic that a criterion judges. A higher percentage keeps all requests
 * of a lower one.
 *
 * @param percent 0..100, in steps of 0.01
 * @throws RangeError when the percentage is out of range
 */
export function isSampled(ids: { readonly criterionId: string; readonly logId: string }, percent: number): boolean {
  if (!(percent >= 0 && percent <= 100)) throw new RangeError(`percent must be in 0..100, got ${percent}`)
  // Rounded, because 1.1 * 100 is a little more than 110.
  return samplingBucket(ids.criterionId, ids.logId) < Math.round(percent * (BUCKETS / 100))
}
