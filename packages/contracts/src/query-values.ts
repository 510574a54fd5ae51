import { z } from 'zod'

interface Range {
  readonly min: number
  readonly max: number
}

/** A whole number, also as the text of a query parameter: only digits. */
export function wholeNumber({ min, max }: Range) {
  const message = `This must be a whole number from ${inWords(min)} to ${inWords(max)}.`
  const number = z.int(message).min(min, message).max(max, message)
  return z.preprocess((value) => numberOf(value, /^[+-]?\d{1,15}$/), number)
}

/** A number, also as a decimal text. */
export function decimalNumber({ min, max }: Range) {
  const message = `This must be a number from ${inWords(min)} to ${inWords(max)}.`
  const number = z.number(message).min(min, message).max(max, message)
  return z.preprocess((value) => numberOf(value, /^[+-]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})(e[+-]?\d{1,2})?$/i), number)
}

/** True or false, as the text of a query parameter. */
export const flag = z.enum(['true', 'false'], 'This must be true or false.').transform((value) => value === 'true')

/** A time with its zone, or a date, which means midnight UTC. */
export const moment = z
  .union(
    [z.iso.datetime({ offset: true }), z.iso.date()],
    'This must be an ISO 8601 date-time with its zone, such as 2026-11-21T10:00:00Z, or a date.',
  )
  .transform((text) => new Date(text))

function numberOf(value: unknown, pattern: RegExp): unknown {
  return typeof value === 'string' && pattern.test(value) ? Number(value) : value
}

function inWords(bound: number): string {
  return bound.toLocaleString('en-US')
}
