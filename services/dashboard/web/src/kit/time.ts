const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

// Making one takes a hundred times as long as using it, and a page writes hundreds of times.
const clockFormat = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const exactFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const distanceFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** The time of the day, such as `14:02`. */
export function clockTime(ms: number): string {
  return clockFormat.format(ms)
}

/** Date and time to the second, for titles and details. */
export function exactTime(iso: string): string {
  return exactFormat.format(new Date(iso))
}

const steps = [
  [day, 'day'],
  [hour, 'hour'],
  [minute, 'minute'],
] as const

/** How long ago or in how long, such as `3 hours ago`; `now` within a minute. */
export function relativeTime(iso: string, nowMs: number): string {
  const distance = new Date(iso).getTime() - nowMs
  const [size, unit] = steps.find(([ms]) => Math.abs(distance) >= ms) ?? [0, null]
  if (unit === null) return 'now'
  return distanceFormat.format(Math.trunc(distance / size), unit)
}

/** A duration in the unit that fits: `640 ms`, `2.4 s`, `14 min`, `3 h 5 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (ms < second) return `${Math.round(ms)} ms`
  if (ms < minute) return `${(ms / second).toFixed(ms < 10 * second ? 1 : 0)} s`
  if (ms < hour) return `${Math.round(ms / minute)} min`
  const [large, small, unit, part] = ms < day ? [hour, minute, 'h', 'min'] : [day, hour, 'd', 'h']
  const parts = Math.round(ms / small)
  const perLarge = large / small
  const rest = parts % perLarge
  return `${Math.floor(parts / perLarge)} ${unit}${rest === 0 ? '' : ` ${rest} ${part}`}`
}
