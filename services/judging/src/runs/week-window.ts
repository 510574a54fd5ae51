import { dayMs } from '@ratchet/service-kit/timing/durations'

export interface WeekWindow {
  /** Monday, 00:00 UTC. */
  readonly start: Date
  /** The Monday after; exclusive. */
  readonly end: Date
}

const weekMs = 7 * dayMs
/** The first Monday of the epoch, 5 January 1970. */
const firstMondayMs = 4 * dayMs

/** The ISO week, in UTC, that contains a moment. */
export function weekWindow(at: Date): WeekWindow {
  const weeks = Math.floor((at.getTime() - firstMondayMs) / weekMs)
  const startMs = firstMondayMs + weeks * weekMs
  return { start: new Date(startMs), end: new Date(startMs + weekMs) }
}
