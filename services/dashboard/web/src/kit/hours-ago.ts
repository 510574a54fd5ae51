import { now } from '../clock.ts'

const hourMs = 3_600_000

/** The start of the hour that many hours ago. The same for an hour, so that a page sends the same query again. */
export function hoursAgo(hours: number): string {
  return new Date((Math.floor(now() / hourMs) - hours) * hourMs).toISOString()
}
