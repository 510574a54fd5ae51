export interface WeekWindow {
  /** Monday, 00:00 UTC. */
  readonly start: Date
  /** The Monday after, which belongs to the next one. */
  readonly end: Date
}

const dayMs = 86_400_000
const weekMs = 7 * dayMs
/** The first Monday of the epoch: the fifth of January 1970. */
const firstMondayMs = 4 * dayMs

/** The ISO week that a moment lies in. */
export function weekWindow(at: Date): WeekWindow {
  const weeks = Math.floor((at.getTime() - firstMondayMs) / weekMs)
  const startMs = firstMondayMs + weeks * weekMs
  return { start: new Date(startMs), end: new Date(startMs + weekMs) }
}
