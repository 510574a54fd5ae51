import { type Characters, character, charactersOf } from './characters-of.ts'
import { countSwitches, hasGeneratedPart, isPlaceholder, isUnpronounceable, looksRandom } from './looks-random.ts'
import type { SecretName } from './secret-name.ts'

/** How a value is written, which helps to distinguish a secret from code and prose. */
export interface ValueSyntax {
  readonly quoted: boolean
  /** Without quotes and after a space, as in prose and code. */
  readonly loose: boolean
  /** Only a blank separates it from its name, as in a sentence, so it must look generated. */
  readonly bare?: boolean
  /** After a colon or in the next cell of a table, as in YAML and in messages of people. */
  readonly reported?: boolean
}

/** Characters of a value that are examined. */
export const examinedLength = 128
const stands =
  /^(?:true|false|null|none|nil|undefined|string|number|object|password|secret|token|changeme|change[-_]me)$/i
const mocks = /your[-_ ]|^my[-_]|example|dummy|sample|placeholder|insert[-_]|replace[-_]|enter[-_]|change[-_]?me/i

const blankOpenings = new Uint8Array(128)
for (const each of '$%<{[(@:#') blankOpenings[each.charCodeAt(0)] = 1

/** Decides whether the value of a name of a secret is one, and not a word, code, a path or a placeholder. */
export function isSecretValue(value: string, name: SecretName, syntax: ValueSyntax): boolean {
  const examined = value.slice(0, examinedLength)
  if (examined.length < (name.password ? 6 : 8)) return false
  const characters = charactersOf(examined)
  const { any } = characters
  if ((any & character.blank) !== 0 || ((any & character.foreign) !== 0 && /\s/.test(examined))) return false
  if (syntax.bare === true && !((any & character.digit) !== 0 && looksRandom(examined))) return false
  if (name.kind === 'azure_sas') return examined.length >= 40 && (any & character.digit) !== 0
  if (name.mustBeGenerated === true && !hasGeneratedPart(examined)) return false
  // The check that most values fail comes first, because a hostile text can have a value at every position.
  if (!isMixedLikeSecret(examined, characters, { name, ...syntax })) return false
  if (isPlaceholderValue(examined)) return false
  // Only punctuation makes a reference or code.
  const isPlain = (characters.all & character.alnum) !== 0
  if (!isPlain && (isReference(examined) || (!syntax.quoted && isCode(examined)))) return false
  return !mocks.test(examined) || isGenerated(examined)
}

interface NamedSyntax extends ValueSyntax {
  readonly name: SecretName
}

/** Checks that a value mixes kinds of characters as secrets do. */
function isMixedLikeSecret(
  value: string,
  characters: Characters,
  { name, loose, reported = false }: NamedSyntax,
): boolean {
  const { any, all } = characters
  if ((all & character.digit) !== 0) return name.password && !loose
  if ((all & character.ofNumbers) !== 0) return false
  if ((any & character.digit) !== 0 && (any & character.letter) !== 0)
    return (name.password && (!loose || (reported && !isTypeName(value)))) || !isIdentifier(value)
  if (isUnpronounceable(value, characters)) return !/^[A-Z_]+$/.test(value)
  if (loose || (any & character.symbol) === 0) return false
  return /[!@#$%^*+~&?=|]/.test(value.slice(1)) && /[A-Za-z]{2}/.test(value)
}

/** True for texts that people write in place of a secret. */
export function isPlaceholderValue(value: string): boolean {
  if (opensBlank(value.charCodeAt(0))) {
    if (isEnclosed(value)) return true
    if (/^[$%@:][A-Za-z_][\w.]*[%@]?$/.test(value) || value.startsWith('#{')) return true
  }
  return stands.test(value) && value.toLowerCase() !== 'password' ? true : isPlaceholder(value)
}

/** True for `<key>`, `${KEY}`, `%(key)%`. */
function isEnclosed(value: string): boolean {
  const first = value.charAt(0)
  const last = value.charAt(value.length - 1)
  const opening = first === '$' || first === '%' ? value.charAt(1) : first
  const closing = last === '%' ? value.charAt(value.length - 2) : last
  return opening !== '' && closing !== '' && '<{[('.includes(opening) && '>})]'.includes(closing)
}

function opensBlank(code: number): boolean {
  return code < 128 && blankOpenings[code] === 1
}

/** True for `Uint8Array`, `sha256`, `varchar255`. */
function isTypeName(value: string): boolean {
  return (
    /^[A-Z][a-z]+\d{1,3}[A-Z]/.test(value) ||
    /^(?:u?int|float|sha|md|utf|base|byte|char|str|string|varchar|text|bcrypt|argon)\d{1,4}$/i.test(value)
  )
}

/** True for a URL or a path: it refers to a secret and is not one itself. */
function isReference(value: string): boolean {
  if (value.includes('://') && /^[a-z][a-z0-9+.-]{1,15}:\/\//i.test(value)) return true
  if (value.includes('@') && /^[\w.+-]+@[\w-]+\.[a-z.]+$/i.test(value)) return true
  if (!/^(?:~|\.{1,2})?\//.test(value)) return false
  return value.split('/').every((step) => countSwitches(step) <= 4 && !/[+=]/.test(step))
}

/** True for `process.env.TOKEN`, `getToken(`, `tokens[0]`, `user?.token`, `!Ref`, `--flag`. */
function isCode(value: string): boolean {
  if (/^[A-Za-z_$][\w$]*(?:\(|\[|\?\.|::|->|=>)/.test(value)) return true
  if (/^[A-Za-z_$]+\d{0,3}(?:\.[A-Za-z_$]+\d{0,3})+(?:$|[^\w$.])/.test(value)) return true
  return /^(?:--|!|&|\*|\$?[({[])/.test(value)
}

/** True for words with at most one short number: `Uint8Array`, `access_token_2`, `sha256`. */
function isIdentifier(value: string): boolean {
  const numbers = value.match(/\d+/g) ?? []
  if (numbers.length > 1 || (numbers[0] ?? '').length > 3 || !/^[\w.-]+$/.test(value)) return false
  if (value.length >= 16 && /^[A-Za-z0-9]+$/.test(value) && countSwitches(value) > value.length / 2.5) return false
  const words = value.replace(/([a-z])([A-Z])/g, '$1-$2').split(/[\d_.-]/)
  return words.every((word) => word.length < 3 || isWord(word))
}

function isWord(word: string): boolean {
  return /^(?:[A-Z]?[a-z]+|[A-Z]+|[A-Z]{3,}[a-z]{3,})$/.test(word) && /[aeiouy]/i.test(word) && !isUnpronounceable(word)
}

function isGenerated(value: string): boolean {
  return value.length >= 24 && /\d/.test(value) && countSwitches(value) >= value.length / 3
}
