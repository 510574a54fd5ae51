/** A lower and an upper bound, both finite, `low` ≤ `high`; the function that returns it names unit and range. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** The two-sided 95 % critical value of the standard normal distribution. */
export const Z_95 = 1.959963984540054

/** The interval with both bounds moved into `low`..`high`. */
export function clampInterval(interval: Interval, { low, high }: Interval): Interval {
  return { low: clamp(interval.low, { low, high }), high: clamp(interval.high, { low, high }) }
}

/** The value, or the nearer bound when it lies outside of `low`..`high`. */
export function clamp(value: number, { low, high }: Interval): number {
  return Math.min(high, Math.max(low, value))
}

/** The range of a rate: 0..1. */
export const UNIT: Interval = { low: 0, high: 1 }
