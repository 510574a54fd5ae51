/** The number of things in a part of a time; null where it was not counted. */
export interface TimeBar {
  readonly start: string
  readonly count: number | null
}

/** Milliseconds of the epoch; the end does not belong to it. */
export interface TimeRange {
  readonly startMs: number
  readonly endMs: number
}

/** The bar below a place, also for places outside of the picture. */
export function indexAt(x: number, width: number, bars: number): number {
  return Math.max(0, Math.min(bars - 1, Math.floor((x / width) * bars)))
}

export function isInside(ms: number, { startMs, endMs }: TimeRange): boolean {
  return ms >= startMs && ms < endMs
}
