/** Milliseconds. */
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** The beginning of the hour (UTC) that a time is in, as milliseconds since 1970. */
export function hourOf(at: Date): number {
  return at.getTime() - (at.getTime() % hourMs)
}
