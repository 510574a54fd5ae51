import { createHash } from 'node:crypto'

const taken = /^[a-zA-Z0-9_-]+$/

/**
 * The id of a tool call as Anthropic takes it. Other providers' have characters that it refuses, as in
 * `functions.search:0`: what stands in for such an id is the same in the call and in its result, and no other id's.
 */
export function cleanCallId(id: string): string {
  if (id === '' || taken.test(id)) return id
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 12)
  return `${id.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}-${digest}`
}
