import { dayMs } from '@ratchet/service-kit/timing/durations'

/** The day of expiry in UTC, which names the partition, e.g. `2026-11-21`. */
export function expiryDay(expiresAt: Date): string {
  return expiresAt.toISOString().slice(0, 10)
}

/** Rows of the log expire within so many days from today. */
const maxDays = 92

/** Every day on which a row of the log may expire, from a moment on. */
export function daysOfExpiry(at: Date): readonly string[] {
  return Array.from({ length: maxDays }, (_, n) => expiryDay(new Date(at.getTime() + n * dayMs)))
}
