import { z } from 'zod'

/** A setting with several values, separated by commas; empty when it is not set. */
export const CommaList = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
