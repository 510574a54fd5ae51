/**
 * A token bucket that fills up within a minute and counts in whole numbers. One unit has 60,000 parts, so a limit of n
 * units per minute refills exactly n parts each millisecond. The script that Redis runs (bucket-script.ts) does the
 * same arithmetic with the same results.
 */
export interface Bucket {
  /** The content in parts. Negative for a debt, when more was used than estimated. */
  readonly parts: number
  readonly atMs: number
}

/** One bucket that a request draws from. */
export interface Draw {
  /** Identifies the bucket. Buckets of one workspace share the part in braces. */
  readonly key: string
  /** Units per minute, which is also the capacity: a whole number, 0 or more. */
  readonly limit: number
  /** Units, a whole number; negative when a correction returns some. */
  readonly cost: number
}

/** All draws of a request happen, or none does. A correction always happens. */
export interface Drawing {
  readonly kind: 'take' | 'correct'
  readonly draws: readonly Draw[]
}

export interface Drawn {
  /** Milliseconds until the drawing would succeed; 0 when it did. */
  readonly waitMs: number
  /** The parts in each bucket afterwards, in the order of the draws. */
  readonly parts: readonly number[]
}

export const partsPerUnit = 60_000
/** The wait under a limit of zero. Nothing ever refills, so a minute is an arbitrary answer. */
const noWayMs = 60_000

/** The parts in a bucket at `nowMs`. A missing bucket is full. A clock that went back refills nothing. */
export function partsAt(bucket: Bucket | undefined, limit: number, nowMs: number): number {
  const full = limit * partsPerUnit
  if (bucket === undefined) return full
  return Math.min(full, bucket.parts + Math.max(0, nowMs - bucket.atMs) * limit)
}

/**
 * Milliseconds until a bucket with `parts` covers the draw; 0 when it does. A cost beyond the limit needs only a full
 * bucket and leaves a debt: an estimate that is too high must not exclude a request forever.
 */
export function waitMs(parts: number, { limit, cost }: Draw): number {
  const needed = Math.max(1, Math.min(cost, limit)) * partsPerUnit
  if (parts >= needed) return 0
  return limit > 0 ? Math.ceil((needed - parts) / limit) : noWayMs
}

/** The parts that remain after the draw. */
export function partsAfter(parts: number, { limit, cost }: Draw): number {
  return Math.min(limit * partsPerUnit, parts - cost * partsPerUnit)
}

/** Milliseconds until the bucket is full. */
export function fullInMs(parts: number, limit: number): number {
  return limit > 0 ? Math.ceil((limit * partsPerUnit - parts) / limit) : noWayMs
}
