const whole = new Intl.NumberFormat('en-US')

/** A whole number with separators. */
export function count(value: number): string {
  return whole.format(value)
}

/** A number and its noun in the right form. */
export function countOf(value: number, one: string, many: string = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** A rate between 0 and 1 as text with as many digits as decide, such as `0.96`; `0.995` near 0 and 1. */
export function rate(value: number): string {
  const digits = value > 0.99 || value < 0.01 ? 3 : 2
  return Number.isInteger(value) ? String(value) : value.toFixed(digits)
}

/** A rate with its interval, such as `0.96 [0.88, 0.99]`; a dash when it is not measured. */
export function rateIn(value: number | null, interval: readonly [number, number] | null): string {
  if (value === null) return '–'
  return interval === null ? rate(value) : `${rate(value)} [${rate(interval[0])}, ${rate(interval[1])}]`
}

/** A share between 0 and 1 in per cent. */
export function percent(value: number): string {
  const hundred = value * 100
  return `${hundred !== 0 && Math.abs(hundred) < 10 ? hundred.toFixed(1) : Math.round(hundred)} %`
}

/** Bytes in the unit that has one to three digits before the point. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
