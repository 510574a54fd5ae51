import type { TimeRange } from '../../pictures/time-ranges.ts'

const hour = 3_600_000
const day = 24 * hour

/** Equal parts of a time, which the picture shows as bars. */
export interface TimeWindow extends TimeRange {
  readonly buckets: number
}

const windows = {
  '1': { buckets: 48, bucketMs: hour / 2 },
  '7': { buckets: 84, bucketMs: 2 * hour },
  '30': { buckets: 60, bucketMs: 12 * hour },
} as const
export type Days = keyof typeof windows

/** The last days, up to the end of the present bar, so that the picture changes only with the bars. */
export function windowOf(days: Days, nowMs: number): TimeWindow {
  const { buckets, bucketMs } = windows[days]
  const endMs = Math.ceil((nowMs + 1) / bucketMs) * bucketMs
  return { startMs: endMs - buckets * bucketMs, endMs, buckets }
}

/** The time that the filters choose; open ends are those of the window. Null when they choose none. */
export function chosenRange(
  { start, end }: { readonly start?: string | undefined; readonly end?: string | undefined },
  window: TimeRange,
): TimeRange | null {
  if (start === undefined && end === undefined) return null
  return {
    startMs: start === undefined ? window.startMs : Date.parse(start),
    endMs: end === undefined ? window.endMs : Date.parse(end),
  }
}

/** The window that shows a chosen time: the usual one when it lies inside, else about as many bars over the time itself. */
export function windowWith(chosen: TimeRange | null, usual: TimeWindow): TimeWindow {
  if (chosen === null || chosen.endMs <= chosen.startMs) return usual
  if (chosen.startMs >= usual.startMs && chosen.endMs <= usual.endMs) return usual
  const span = chosen.endMs - chosen.startMs
  return { ...chosen, buckets: Math.max(1, Math.min(60, Math.floor(span / (span > day ? hour : 60_000)))) }
}
