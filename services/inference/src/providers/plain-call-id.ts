import { createHash } from 'node:crypto'

/** What every provider takes; OpenAI itself makes ids of at most 40 of these characters. */
const plain = /^[a-zA-Z0-9_-]{1,64}$/
const longestStem = 40

/**
 * The id of a tool call for a provider that takes only letters, digits, `_` and `-`, at most 64 of them: others' ids,
 * such as `functions.search:0`, are changed. The same id always becomes the same, and two never become one, as
 * `a:0` and `a.0` would if they were only cleaned.
 */
export function plainCallId(id: string): string {
  if (plain.test(id)) return id
  const stem = id.slice(0, longestStem).replaceAll(/[^a-zA-Z0-9_-]/g, '_')
  return `${stem}_${createHash('sha256').update(id).digest('hex').slice(0, 16)}`
}
