import { redactionMark, redactText } from '@ratchet/redaction/redact-text'
import { isAlnum } from '@ratchet/redaction/secrets/alphabets'
import { exactKind, readSecretName } from '@ratchet/redaction/secrets/secret-name'
import type { Kind } from '@ratchet/redaction/secrets/secret-span'
import { isSecretValue } from '@ratchet/redaction/secrets/secret-value'
import { isExactNumber } from '@ratchet/service-kit/values/exact-json'

/** The number of redacted secrets and their kinds in alphabetical order. */
export interface Redaction {
  readonly count: number
  readonly kinds: readonly Kind[]
}

/**
 * Fields that name or classify. Only secrets of a known form are replaced in them, because ids and names look generated
 * too.
 */
const identifying = new Set([
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
const shapedOnly = { shapedOnly: true }
/** Fields that carry images, sound and documents as Base64. */
const media = new Set(['data', 'url', 'image_url', 'file_data', 'b64_json', 'bytes', 'encrypted_content', 'signature'])
/** Characters of a medium that are searched: a key as long as a medium is recognized at its beginning. */
const mediaHead = 256
/** Property names that are remembered as clean, because most names of an exchange recur. */
const rememberedNames = 1_000

interface Visit {
  readonly holder: Record<string | number, unknown>
  readonly key: string | number
  readonly value: unknown
}

/** The state of one redaction. */
interface Work {
  readonly counts: Map<Kind, number>
  readonly pending: Visit[]
  /** Property names without secrets. */
  readonly cleanNames: Set<string>
}

/**
 * Redacts every text of an exchange: messages, parts, arguments and results of tools, descriptions of tools, the
 * response. In ids and names, also names of properties, only secrets of a known form are replaced. Media are not
 * changed. Accepts any JSON value, however deep, and never throws.
 *
 * @param exchange parsed JSON values, e.g. `{messages, response, tools}`; it is not modified.
 */
export function redactExchange<T extends object>(exchange: T): T & { readonly redaction: Redaction } {
  const { content, redaction } = redactKnown(exchange, {})
  return { ...content, redaction }
}

/** Redacted content and identifiers; `redaction` counts the secrets of both. */
export interface RedactedWhole<T, I> {
  readonly content: T
  readonly identifiers: I
  readonly redaction: Redaction
}

/**
 * Like {@link redactExchange}, together with texts that identify the exchange.
 *
 * @param identifiers e.g. `{tag, traceId}`; only secrets of a known form are replaced in them.
 */
export function redactKnown<T extends object, I extends Readonly<Record<string, string | null>>>(
  content: T,
  identifiers: I,
): RedactedWhole<T, I> {
  const work: Work = { counts: new Map(), pending: [], cleanNames: new Set() }
  const clean: Record<string, string | null> = {}
  for (const [name, value] of Object.entries(identifiers)) {
    clean[name] = value === null ? null : redactAs(value, work, shapedOnly)
  }
  const root: Record<string, unknown> = {}
  work.pending.push({ holder: root, key: 'content', value: content })
  for (let visit = work.pending.pop(); visit !== undefined; visit = work.pending.pop()) {
    visit.holder[visit.key] =
      typeof visit.value === 'string' ? redactField(visit.key, visit.value, work) : open(visit.value, work)
  }
  const copy = root.content as T
  if (work.counts.size > 0) dropLogprobs(copy)
  return { content: copy, identifiers: clean as I, redaction: redactionOf(work.counts) }
}

function redactionOf(counts: ReadonlyMap<Kind, number>): Redaction {
  const count = [...counts.values()].reduce((sum, each) => sum + each, 0)
  return { count, kinds: [...counts.keys()].toSorted() }
}

function redactField(key: string | number, text: string, work: Work): string {
  if (typeof key === 'string') {
    if (identifying.has(key)) return redactAs(text, work, shapedOnly)
    if (media.has(key) && isMedia(text)) return text
    const name = readSecretName(key.slice(-48))
    if (name !== null && isSecretValue(text, name, { quoted: true, loose: false })) {
      count(work, exactKind(name), 1)
      return redactionMark
    }
  }
  return redactAs(text, work)
}

function redactAs(text: string, work: Work, scope?: typeof shapedOnly): string {
  const redacted = redactText(text, scope)
  for (const [kind, found] of redacted.found) count(work, kind, found)
  return redacted.text
}

function count({ counts }: Work, kind: Kind, found: number): void {
  counts.set(kind, (counts.get(kind) ?? 0) + found)
}

/** Copies an object or array with redacted property names, and queues its members. */
function open(value: unknown, work: Work): unknown {
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  if (Array.isArray(value)) {
    const list: unknown[] = [...value]
    for (let at = 0; at < list.length; at++) push(work, list as Visit['holder'] & unknown[], at)
    return list
  }
  const copy = withCleanNames(value as Record<string, unknown>, work)
  for (const key of Object.keys(copy)) push(work, copy, key)
  return copy
}

function push({ pending }: Work, holder: Record<string | number, unknown>, key: string | number): void {
  const value = holder[key]
  if (typeof value === 'string' || (typeof value === 'object' && value !== null)) pending.push({ holder, key, value })
}

/** Copies an object with redacted names. Names that become equal are numbered, so that no member replaces another. */
function withCleanNames(value: Readonly<Record<string, unknown>>, work: Work): Record<string, unknown> {
  const names = Object.keys(value)
  if (names.every((name) => isCleanName(name, work))) return { ...value }
  const taken = new Set(names)
  const lastNumbers = new Map<string, number>()
  return Object.fromEntries(
    names.map((name) => {
      const clean = redactAs(name, work, shapedOnly)
      if (clean === name) return [name, value[name]]
      let distinct = clean
      let number = lastNumbers.get(clean) ?? 1
      while (taken.has(distinct)) distinct = `${clean}_${++number}`
      lastNumbers.set(clean, number)
      taken.add(distinct)
      return [distinct, value[name]]
    }),
  )
}

function isCleanName(name: string, { cleanNames }: Work): boolean {
  if (cleanNames.has(name)) return true
  if (redactText(name, shapedOnly).found.size > 0) return false
  if (cleanNames.size < rememberedNames) cleanNames.add(name)
  return true
}

/** Removes log probabilities, because they repeat the text token by token, with the secret that was redacted. */
function dropLogprobs(copy: object): void {
  const pending: object[] = [copy]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    for (const [key, member] of Object.entries(value)) {
      if (typeof member !== 'object' || member === null) continue
      if (key === 'logprobs' && isSpelledOut(member)) Object.assign(value, { logprobs: null })
      else pending.push(member)
    }
  }
}

function isSpelledOut(logprobs: object): boolean {
  return ['content', 'refusal', 'tokens'].some((name) => Array.isArray((logprobs as Record<string, unknown>)[name]))
}

/** True for a `data:` URL or a long Base64 text, unless its beginning contains a key. */
function isMedia(text: string): boolean {
  const from = dataStart(text)
  if (text.length - from <= mediaHead || !isBase64(text, from)) return false
  return redactText(text.slice(from, from + mediaHead), shapedOnly).found.size === 0
}

/** Where the data of a `data:` URL begins; 0 for any other text. */
function dataStart(text: string): number {
  if (!text.startsWith('data:')) return 0
  return text.slice(0, mediaHead).indexOf(',') + 1
}

/** Accepts standard and URL-safe Base64, but not mixed, and line breaks. */
function isBase64(text: string, from: number): boolean {
  let dashes = 0
  let slashes = 0
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x2d || code === 0x5f) dashes++
    else if (code === 0x2b || code === 0x2f) slashes++
    else if (!isAlnum(code) && code !== 0x3d && code !== 0x0a && code !== 0x0d) return false
  }
  return dashes === 0 || slashes === 0
}
