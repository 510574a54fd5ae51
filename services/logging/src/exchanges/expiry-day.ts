/** The day of expiry in UTC, which names the partition, e.g. `2026-11-21`. */
export function expiryDay(expiresAt: Date): string {
  return expiresAt.toISOString().slice(0, 10)
}
