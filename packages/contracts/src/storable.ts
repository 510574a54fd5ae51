import type { z } from 'zod'

/** A text that Postgres can store, which is any text without NUL. */
export function storable<T extends z.ZodType<string>>(schema: T): T {
  return schema.refine((text) => !text.includes('\0'), 'This must not contain the character NUL.') as T
}
