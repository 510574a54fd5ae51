/** This month and the eleven before it (UTC), newest first, as 2026-11. */
export function lastMonths(nowMs: number): readonly string[] {
  const now = new Date(nowMs)
  return Array.from({ length: 12 }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  )
}
