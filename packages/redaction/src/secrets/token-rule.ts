import type { Alphabet } from './alphabets.ts'
import { isAlnum } from './alphabets.ts'
import { entropyOf } from './entropy-of.ts'
import { isPlaceholder, looksRandom } from './looks-random.ts'
import type { TextView } from './text-view.ts'

/** A secret that is recognized by its prefix. */
export interface TokenRule {
  readonly kind: string
  readonly prefixes: readonly string[]
  readonly body: Alphabet
  /** Minimum number of characters after the prefix. */
  readonly min: number
  /** Maximum number of characters after the prefix; absent for any number. A longer run is not this secret. */
  readonly max?: number
  /** The prefix alone is no proof, so the rest must look generated. */
  readonly strict?: true
  /** Ids of calls and caches have the same form, so it is no secret where an id stands. */
  readonly resemblesIds?: true
  /** The prefix, e.g. `Bearer `, is not part of the secret and is not replaced. */
  readonly keepPrefix?: true
  /** What the characters after the prefix must begin with. */
  readonly pattern?: RegExp
  /** Minimum Shannon entropy of the whole token, in bits for each character. */
  readonly minEntropy?: number
  /** A further condition on the characters after the prefix, e.g. a checksum. At most 2,048 of them are passed. */
  readonly accepts?: (body: string) => boolean
}

const acceptedLength = 2_048
/**
 * What stands before the id of a call, an answer or a cache, in JSON, code and addresses, with quotes that may be escaped. A name
 * that is only `id` needs quotes, because people write so before keys too.
 */
const namedId =
  /(?:[^a-z](?:(?:tool|function)?_?(?:call|use|item|response)_?id|(?:prompt_)?cache_key)|["']id(?=[\\"']))[\\"']{0,8}\s?[:=]\s?[\\"']{0,8}$/i
const namedIdLength = 48

/** In the fields of ids, and behind their names in a text. */
function isPlaceOfId({ text, shapedOnly }: TextView, at: number): boolean {
  return shapedOnly || namedId.test(` ${text.slice(Math.max(0, at - namedIdLength), at)}`)
}

/** The end of the secret that begins with `prefix` at `at`; -1 when there is none. */
export function tokenEnd(view: TextView, rule: TokenRule, prefix: string, at: number): number {
  if (rule.resemblesIds === true && isPlaceOfId(view, at)) return -1
  const start = at + prefix.length
  const end = bodyEnd(view, rule, start)
  if (end - start < rule.min) return -1
  const body = view.text.slice(start, Math.min(end, start + acceptedLength))
  if (rule.strict === true ? !isGenerated(body, view) : isPlaceholder(body)) return -1
  if (rule.pattern?.test(body) === false || rule.accepts?.(body) === false) return -1
  return rule.minEntropy !== undefined && entropyOf(prefix + body) < rule.minEntropy ? -1 : end
}

/** In ids and names, which contain words and numbers too, only a long piece without separators counts as generated. */
function isGenerated(body: string, { shapedOnly }: TextView): boolean {
  return looksRandom(body) && (!shapedOnly || body.split(/[-_.]/).some((part) => part.length >= 16 && /\d/.test(part)))
}

/** The end of the run of characters of the rule's alphabet; `start` when the run is too long for this secret. */
function bodyEnd(view: TextView, { body, max }: TokenRule, start: number): number {
  const { text } = view
  const end = trimEnd(text, start, view.runEnd(body, start))
  if (max === undefined || end - start <= max) return end
  return isAlnum(text.charCodeAt(start + max)) ? start : start + max
}

/** Excludes punctuation that ends the sentence rather than the secret. */
function trimEnd(text: string, start: number, end: number): number {
  let trimmed = end
  while (trimmed > start && end - trimmed < 4 && '.:%@'.includes(text.charAt(trimmed - 1))) trimmed--
  return trimmed
}
