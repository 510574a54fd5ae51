/**
 * A token bucket that fills up within a minute and counts in whole numbers: one unit is 60,000 parts, so that a limit
 * of so many units per minute brings back exactly that many parts each millisecond. The script that Redis runs
 * (rate-limit/bucket-script.ts) does the same arithmetic and comes to the same numbers.
 */
export interface Bucket {
  /** What it holds, in parts. Negative: a debt, because more was used than had been estimated. */
  readonly parts: number
  readonly atMs: number
}

/** One bucket that a request draws from. */
export interface Draw {
  /** Names the bucket; buckets of one workspace share the part in braces. */
  readonly key: string
  /** Units per minute, and the most the bucket can hold: a whole number, 0 or more. */
  readonly limit: number
  /** Units, a whole number; negative when a correction gives some back. */
  readonly cost: number
}

/** All draws of a request happen, or none does. A correction always happens. */
export interface Drawing {
  readonly kind: 'take' | 'correct'
  readonly draws: readonly Draw[]
}

export interface Drawn {
  /** Milliseconds until the drawing would succeed; 0: it did. */
  readonly waitMs: number
  /** What each bucket holds afterwards, in parts, in the order of the draws. */
  readonly parts: readonly number[]
}

export const partsPerUnit = 60_000
/** What a limit of zero makes wait: nothing ever comes back, and a minute is as good an answer as any. */
const noWayMs = 60_000

/** What a bucket holds at `nowMs`; one that nobody knows is full. A clock that went back brings nothing. */
export function partsAt(bucket: Bucket | undefined, limit: number, nowMs: number): number {
  const full = limit * partsPerUnit
  if (bucket === undefined) return full
  return Math.min(full, bucket.parts + Math.max(0, nowMs - bucket.atMs) * limit)
}

/**
 * Milliseconds until a bucket that holds `parts` covers the draw; 0 when it does. A cost beyond the limit asks for a
 * full bucket only, and leaves a debt: an estimate that is too high must not shut a request out for good.
 */
export function waitMs(parts: number, { limit, cost }: Draw): number {
  const needed = Math.max(1, Math.min(cost, limit)) * partsPerUnit
  if (parts >= needed) return 0
  return limit > 0 ? Math.ceil((needed - parts) / limit) : noWayMs
}

/** What is left of `parts` after the draw. */
export function partsAfter(parts: number, { limit, cost }: Draw): number {
  return Math.min(limit * partsPerUnit, parts - cost * partsPerUnit)
}

/** Milliseconds until the bucket is full. */
export function fullInMs(parts: number, limit: number): number {
  return limit > 0 ? Math.ceil((limit * partsPerUnit - parts) / limit) : noWayMs
}
