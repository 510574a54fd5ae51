/*
 * Formats of figures. A figure that was not measured is a dash.
 */

export function inUsd(usd: number): string {
  return usd > 0 && usd < 0.0001 ? '<$0.0001' : `$${usd.toFixed(4)}`
}

/** @param share 0..1 */
export function inShare(share: number | null): string {
  return share === null ? '-' : inPercent(share * 100)
}

export function inPercent(percent: number | null): string {
  return percent === null ? '-' : `${percent.toFixed(1)} %`
}

export function inMs(ms: number | null): string {
  if (ms === null) return '-'
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** `1m 5s`. The clock of the deployment may be ahead, so a time is at least 0. */
export function inTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours}h ${minutes}m`
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`
}

/** A percentage with its interval: `56.1 % (48.2 to 63.7)`. */
export function withInterval(percent: number | null, ends: readonly [number, number] | null): string {
  if (percent === null || ends === null) return inPercent(percent)
  return `${inPercent(percent)} (${ends[0].toFixed(1)} to ${ends[1].toFixed(1)})`
}
