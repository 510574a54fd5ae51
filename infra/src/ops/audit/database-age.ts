import { dayMs } from '@ratchet/service-kit/timing/durations'

/** Days after which a database is called old. New advisories are published every day. */
const oldAfterDays = 14

/** A line for people about the age of a database. @param changedOn of its newest record; both days as `2026-11-22` */
export function describeAge(changedOn: string, today: string): string {
  const days = Math.max(0, Math.round((Date.parse(today) - Date.parse(changedOn)) / dayMs))
  const age = `the newest record of the database is of ${changedOn}, ${days} ${days === 1 ? 'day' : 'days'} ago`
  return days > oldAfterDays ? `! ${age}: download a newer export` : `· ${age}`
}
