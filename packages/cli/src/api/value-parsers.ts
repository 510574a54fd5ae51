import { InvalidArgumentError } from 'commander'
import type { z } from 'zod'

/** Reads the value of a flag; `previous` is what earlier ones of it gave. */
export type Parser = (text: string, previous: unknown) => unknown

/** A flag whose text is the value. */
export function text(schema: z.ZodType): Parser {
  return (value) => checked(schema, value)
}

/** A flag with a decimal number. */
export function number(schema: z.ZodType): Parser {
  return (value) => {
    if (!/^[+-]?(\d{1,15}(\.\d{1,15})?|\.\d{1,15})$/.test(value)) throw new InvalidArgumentError('Expected a number.')
    return checked(schema, Number(value))
  }
}

/** The value, where the contract takes it. */
export function checked(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value)
  if (result.success) return value
  throw new InvalidArgumentError(result.error.issues[0]?.message ?? 'It cannot be this.')
}
