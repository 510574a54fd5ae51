const hourMs = 3_600_000

/** The sizes of parts of a period, milliseconds. */
export const bucketMs = { hour: hourMs, day: 24 * hourMs } as const

/** More bars than this do not fit a phone, and make a long sentence. */
const maxBuckets = 32

/**
 * The starts (UTC) of all hours or days from `from` to before `to`, so that a time without anything is drawn as such; empty when
 * there are too many of them.
 */
export function bucketsOf(from: string, to: string, unit: keyof typeof bucketMs): readonly string[] {
  const size = bucketMs[unit]
  const first = Math.floor(Date.parse(from) / size)
  const count = Math.ceil(Date.parse(to) / size) - first
  if (count > maxBuckets) return []
  return Array.from({ length: Math.max(0, count) }, (_, index) => new Date((first + index) * size).toISOString())
}
