import { hash } from 'node:crypto'
import { seededRandom } from '@ratchet/testing/seeded-random'

/** Hex hash of a request's exact bytes. Its completion id, its `created` and its attempt count are derived from it. */
export function nameOfBytes(bytes: Buffer): string {
  return hash('sha1', bytes, 'hex')
}

/**
 * Seeded random numbers in [0, 1), started from the first 32 bits of SHA-256 of the key. Every number depends only on
 * the key, and the first numbers of different keys are independent.
 */
export function drawsFrom(key: string): () => number {
  return seededRandom(hash('sha256', key, 'buffer').readUInt32BE(0))
}

/** Members of a body that change the delivery of an answer, not the answer. */
const deliveryMembers = new Set([
  'stream',
  'stream_options',
  'n',
  'stop',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'logprobs',
  'top_logprobs',
  'stop_sequences',
])

/**
 * The text that decides an answer: seed and body with sorted keys, without the members that change only its delivery.
 * So the streamed answer equals the unstreamed one, and a shorter `max_tokens` gives a prefix of it.
 */
export function answerKey(seed: string, body: Record<string, unknown>): string {
  const decisive = Object.entries(body).filter(([name]) => !deliveryMembers.has(name))
  return `${seed}\n${canonicalJson(Object.fromEntries(decisive))}`
}

/** JSON with the members of every object in code-unit order, so equal values give equal text. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** One of `items`, chosen by a draw in [0, 1). @throws RangeError when there is nothing to choose from */
export function pick<T>(items: readonly T[], draw: number): T {
  const item = items[Math.floor(draw * items.length)]
  if (item === undefined) throw new RangeError(`nothing to pick from ${items.length} items with ${draw}`)
  return item
}
