import type { z } from 'zod'

/** A text that Postgres can keep: it takes every character but NUL. */
export function storable<T extends z.ZodType<string>>(schema: T): T {
  return schema.refine((text) => !text.includes('\0'), 'This may not hold the character NUL.') as T
}
