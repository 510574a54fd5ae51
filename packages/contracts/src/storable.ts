import type { z } from 'zod'

/** A text that Postgres can store, also within JSON: any text without NUL and without half of a surrogate pair. */
export function storable<T extends z.ZodType<string>>(schema: T): T {
  return schema
    .refine((text) => !text.includes('\0'), 'This must not contain the character NUL.')
    .refine((text) => text.isWellFormed(), 'This must be well-formed Unicode.') as T
}
