import { redactionMark, redactText } from './redact-text.ts'
import { readSecretName } from './secret-name.ts'
import type { Kind } from './secret-span.ts'
import { isSecretValue } from './secret-value.ts'

/** What is stored of a redaction: how many secrets there were and of what kinds, in alphabetical order. */
export interface Redaction {
  readonly count: number
  readonly kinds: readonly Kind[]
}

/** Fields that name or classify; a secret in them would break what refers to them. */
const untouched = new Set([
  'role',
  'type',
  'id',
  'name',
  'tool_call_id',
  'tool_use_id',
  'call_id',
  'object',
  'model',
  'finish_reason',
])
/** Fields that carry images, sound and documents as Base64. */
const media = new Set(['data', 'url', 'image_url', 'file_data', 'b64_json', 'bytes', 'encrypted_content', 'signature'])

interface Visit {
  readonly holder: Record<string | number, unknown>
  readonly key: string | number
  readonly value: unknown
}

/**
 * Redacts every text of an exchange: messages, parts, arguments and results of tools, descriptions of tools, the
 * response. Names of fields, roles, ids and media stay. Any JSON value is taken, however deep; none makes it throw.
 *
 * @param exchange parsed JSON values, e.g. `{messages, response, tools}`; it is left as it is.
 */
export function redactExchange<T extends object>(exchange: T): T & { readonly redaction: Redaction } {
  const counts = new Map<Kind, number>()
  const root: Record<string, unknown> = {}
  const pending: Visit[] = [{ holder: root, key: 'exchange', value: exchange }]
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    visit.holder[visit.key] =
      typeof visit.value === 'string' ? redactField(visit, visit.value, counts) : open(visit.value, pending)
  }
  const copy = root.exchange as T
  if (counts.size > 0) dropLogprobs(copy)
  const count = [...counts.values()].reduce((sum, each) => sum + each, 0)
  return { ...copy, redaction: { count, kinds: [...counts.keys()].toSorted() } }
}

function redactField({ key }: Visit, text: string, counts: Map<Kind, number>): string {
  if (typeof key === 'string') {
    if (untouched.has(key) || (media.has(key) && isMedia(text))) return text
    const name = readSecretName(key.slice(-48))
    if (name !== null && isSecretValue(text, name, { quoted: true, loose: false })) {
      counts.set(name.kind, (counts.get(name.kind) ?? 0) + 1)
      return redactionMark
    }
  }
  const redacted = redactText(text)
  for (const [kind, count] of redacted.found) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return redacted.text
}

/** A copy whose members are still to be visited. */
function open(value: unknown, pending: Visit[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>
  for (const [key, member] of Object.entries(value)) {
    // The pieces of a text that is looked at as a whole elsewhere.
    if (key === 'logprobs') continue
    if (typeof member === 'string' || typeof member === 'object') {
      pending.push({ holder: copy, key: Array.isArray(value) ? Number(key) : key, value: member })
    }
  }
  return copy
}

/** Log probabilities spell the text once more, token by token: where something was redacted they would tell it. */
function dropLogprobs(copy: object): void {
  const pending: object[] = [copy]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Object.hasOwn(value, 'logprobs')) Object.assign(value, { logprobs: null })
    for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) pending.push(member)
  }
}

/** A `data:` address, or a text of nothing but Base64 that is too long to be a key. */
function isMedia(text: string): boolean {
  return text.startsWith('data:') || (text.length > 256 && /^[A-Za-z0-9+/_=\s-]*$/.test(text))
}
