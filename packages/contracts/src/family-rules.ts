import { z } from 'zod'
import { storable } from './storable.ts'

/** Matches every segment that no other rule names. */
export const otherFamilies = '*'

/** A prompt family is a segment of the log, with the id that `GET /v1/logs/segments` lists. */
const Family = z
  .string()
  .regex(
    /^(?:seg_(?:[0-9a-f]{16}|other)|none|\*)$/,
    'This must be the id of a segment, `none`, or `*` for all other segments.',
  )

/** What an alias does with the requests of one prompt family. */
export const FamilyRule = z.strictObject({
  segment: Family.describe(
    'A segment of the log; `none` for requests without a system prompt, `*` for all that no other rule names.',
  ),
  model: storable(z.string().min(1).max(200))
    .nullable()
    .describe(
      'The model that answers all requests of the segment, outside of the split; null when they take part in the split.',
    ),
})
export type FamilyRule = z.output<typeof FamilyRule>

/** The rules of an alias, each segment once. */
export const FamilyRules = z
  .array(FamilyRule)
  .max(200)
  .refine((rules) => new Set(rules.map(({ segment }) => segment)).size === rules.length, 'Each segment may occur once.')

/**
 * The model that rules give to a segment; null when its requests take part in the split. Inference routes by it, and gates
 * count by it.
 */
export function modelOfFamily(rules: readonly FamilyRule[], segment: string): string | null {
  const named = rules.find((rule) => rule.segment === segment)
  return (named ?? rules.find((rule) => rule.segment === otherFamilies))?.model ?? null
}
