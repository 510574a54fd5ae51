import { ReadableError } from '@ratchet/infra/terminal/readable-error'

/** The value of an option. @throws ReadableError for a value that is not a whole number in its range */
export function wholeNumber(name: string, text: string, { least, most }: { least: number; most: number }): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new ReadableError(`--${name} must be a whole number from ${least} to ${most}, not ${text}.`)
}
