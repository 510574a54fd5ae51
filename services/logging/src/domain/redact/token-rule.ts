import type { Alphabet } from './alphabets.ts'
import { isAlnum } from './alphabets.ts'
import { isPlaceholder, looksRandom } from './looks-random.ts'
import type { TextView } from './text-view.ts'

/** A secret that says what it is by how it begins. */
export interface TokenRule<K extends string = string> {
  readonly kind: K
  readonly prefixes: readonly string[]
  readonly body: Alphabet
  /** Fewest characters after the prefix. */
  readonly min: number
  /** Most characters after the prefix; absent: any number. A longer run is something else. */
  readonly max?: number
  /** The prefix is no proof by itself: the rest must look generated. */
  readonly strict?: true
  /** The prefix is not part of the secret and stays, as `Bearer ` does. */
  readonly keepPrefix?: true
  /** What else the characters after the prefix must satisfy, e.g. a checksum. At most 2,048 of them are given. */
  readonly accepts?: (body: string) => boolean
}

const acceptedLength = 2_048

/** Where the secret that begins with `prefix` at `at` ends, or -1 when there is none. */
export function tokenEnd(view: TextView, rule: TokenRule, prefix: string, at: number): number {
  const start = at + prefix.length
  const end = bodyEnd(view, rule, start)
  if (end - start < rule.min) return -1
  const body = view.text.slice(start, Math.min(end, start + acceptedLength))
  if (rule.strict === true ? !isGenerated(body, view) : isPlaceholder(body)) return -1
  if (rule.accepts !== undefined && !rule.accepts(body)) return -1
  return end
}

/** Ids and names are made of words and numbers as well: among them a generated text is one in one piece. */
function isGenerated(body: string, { shapedOnly }: TextView): boolean {
  return looksRandom(body) && (!shapedOnly || body.split(/[-_.]/).some((part) => part.length >= 16 && /\d/.test(part)))
}

/** Where the run of the rule's alphabet ends; `start` when the run is too long to be this secret. */
function bodyEnd({ text, runEnd }: TextView, { body, max }: TokenRule, start: number): number {
  const end = trimEnd(text, start, runEnd(body, start))
  if (max === undefined || end - start <= max) return end
  return isAlnum(text.charCodeAt(start + max)) ? start : start + max
}

/** Without the full stop or colon that ends the sentence rather than the secret. */
function trimEnd(text: string, start: number, end: number): number {
  let trimmed = end
  while (trimmed > start && end - trimmed < 4 && '.:%@'.includes(text.charAt(trimmed - 1))) trimmed--
  return trimmed
}
