import { InvalidArgumentError } from 'commander'
import type { z } from 'zod'

/** Parses the value of a flag. `previous` is the result of earlier uses of the flag. */
export type Parser = (text: string, previous: unknown) => unknown

/** Parses text. */
export function text(schema: z.ZodType): Parser {
  return (value) => checked(schema, value)
}

/** Parses a decimal number. */
export function number(schema: z.ZodType): Parser {
  return (value) => {
    if (!/^[+-]?(\d{1,15}(\.\d{1,15})?|\.\d{1,15})$/.test(value)) throw new InvalidArgumentError('Expected a number.')
    return checked(schema, Number(value))
  }
}

/** Checks the value against the contract. */
export function checked(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return value
  throw new InvalidArgumentError(result.error.issues[0]?.message ?? 'This value is not allowed.')
}
