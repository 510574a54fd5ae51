import { z } from 'zod'
import { storable } from '../storable.ts'

/** The address of a workspace in paths. */
export const Slug = z
  .string()
  .max(40)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'This has lower case letters, digits and hyphens.')

export const PersonName = storable(z.string().trim().min(1).max(100))
export const EmailAddress = z.string().trim().toLowerCase().max(254).pipe(z.email())
/** Long enough to resist guessing; the maximum limits the work of hashing. */
export const Password = z.string().min(12).max(128)

export const WorkspaceParams = z.strictObject({ slug: Slug })
export const WorkspaceItemParams = z.strictObject({ slug: Slug, id: z.uuid() })

/** The answer of an endpoint that has nothing to return. */
export const Done = z.object({ object: z.literal('done') })

/** A link that is valid once, and for one person. */
export const SentLink = z.object({
  mailed: z.boolean(),
  link: z.string().nullable().describe('To be sent some other way; null when it was mailed.'),
})

/** A list that is never so long that it needs pages. */
export function listReplyOf<Item extends z.ZodType>(item: Item) {
  return z.object({ object: z.literal('list'), data: z.array(item) })
}

export const done = { object: 'done' } as const

export function listReply<Item>(data: Item[]) {
  return { object: 'list' as const, data }
}
