import { createHash } from 'node:crypto'

/** The ids that every provider accepts. OpenAI itself makes ids of at most 40 of these characters. */
const plain = /^[a-zA-Z0-9_-]{1,64}$/
const maxStemLength = 40

/**
 * The id of a tool call for a provider that accepts only letters, digits, `_` and `-`, at most 64 of them. Other ids,
 * such as `functions.search:0`, are replaced. An id always gets the same replacement, and two ids never get the same
 * one, as `a:0` and `a.0` would if characters were only removed.
 */
export function plainCallId(id: string): string {
  if (plain.test(id)) return id
  const stem = id.slice(0, maxStemLength).replaceAll(/[^a-zA-Z0-9_-]/g, '_')
  return `${stem}_${createHash('sha256').update(id).digest('hex').slice(0, 16)}`
}
