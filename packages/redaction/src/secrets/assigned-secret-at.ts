import { alphabets } from './alphabets.ts'
import { readSecretName, type SecretName } from './secret-name.ts'
import type { SecretSpan } from './secret-span.ts'
import type { ValueSyntax } from './secret-value.ts'
import type { TextView } from './text-view.ts'

/** Maximum length of a name. */
const nameLength = 48
/** Maximum number of blanks in a name: `api key prod` has two. */
const nameBlanks = 2
const tight = { loose: false }
/** The syntax of a password after a user name and a colon. */
const userSyntax: ValueSyntax = { quoted: false, loose: false }
/** Maximum length of a quoted value. */
const quotedLength = 4_096

/**
 * Finds the secret after a `=`, `:`, `=>`, `:=`, a quote or a word at `sign`, by the name before it.
 *
 * @param last index of the last character of the sign, when it has several characters that are not signs themselves.
 */
export function assignedSecretAt(view: TextView, sign: number, last: number = sign): SecretSpan | null {
  const name = nameBefore(view, sign)
  if (name === null || endsArn(view.text, sign)) return null
  const spaced = isBlank(view.text.charCodeAt(sign - 1))
  const code = view.text.charCodeAt(sign)
  return valueAt(view, name, skipSigns(view.text, last), {
    spaced,
    bare: code === 32,
    reported: code === 0x3a || code === 0x7c,
  })
}

/** Finds the secret in `--name value`. `dash` is the index of the first dash. */
export function flaggedSecretAt(view: TextView, dash: number): SecretSpan | null {
  const start = dash + 2
  const end = view.runEnd(alphabets.dashed, start)
  if (view.text.charAt(end) !== ' ' || end - start > nameLength) return null
  const name = view.classifier().nameIn(start, end)
  return name === null ? null : spanAt(view, name, end + 1, tight)
}

/** True for the ARN of a secret of AWS, which names it: `arn:aws:secretsmanager:us-east-1:123456789012:secret:name`. */
function endsArn(text: string, sign: number): boolean {
  return text.charCodeAt(sign) === 0x3a && /:\d{12}:secret$/.test(text.slice(Math.max(0, sign - 20), sign))
}

/** Finds the secret in a call such as `setProperty("X_TOKEN", "…")`. `comma` follows the quote of the first argument. */
export function argumentSecretAt(view: TextView, comma: number): SecretSpan | null {
  const { text } = view
  const name = nameBefore(view, comma)
  if (name === null) return null
  const before = text.slice(Math.max(0, comma - nameLength), comma)
  if (!/\(\s?\\*(["'`])[\w.-]+\\*\1$/.test(before)) return null
  const at = skipBlanks(text, comma + 1)
  // Labels and texts stand beside such names as well.
  const generated: SecretName = { ...name, password: false, mustBeGenerated: true }
  return quoteAt(text, at) < 0 ? null : spanAt(view, generated, at, tight)
}

const userPassword: SecretName = { kind: 'password', password: true, written: '' }
/** The only part of `-u key:`, which is the key of an API. */
const userKey: SecretName = { kind: 'password', password: false, mustBeGenerated: true, written: '' }

/**
 * Finds the secret in `-u name:password`, `-u :password` or `-u key:` of a command line. `start` is where the argument begins.
 */
export function userArgumentAt(view: TextView, start: number): SecretSpan | null {
  const from = isQuote(view.text.charCodeAt(start)) ? start + 1 : start
  const end = view.runEnd(alphabets.bare, from)
  const colon = view.next(':', from)
  if (colon < from || colon >= end || view.text.startsWith('//', colon + 1)) return null
  const isKey = colon === end - 1
  const [first, last] = isKey ? [from, colon] : [colon + 1, end]
  return view.classifier().isSecret(first, last, { name: isKey ? userKey : userPassword, syntax: userSyntax })
    ? { start: first, end: last, kind: 'password' }
    : null
}

/** Maximum length of a command line before its `-uname:password`. */
const commandReach = 256

/** Finds the password in `curl -uname:password`. `dash` is the index of the dash. */
export function attachedUserAt(view: TextView, dash: number): SecretSpan | null {
  const found = userArgumentAt(view, dash + 2)
  if (found === null) return null
  const before = view.text.slice(Math.max(0, dash - commandReach), dash)
  const command = before.lastIndexOf('curl ')
  return command >= 0 && !/[;|&]/.test(before.slice(command)) ? found : null
}

/** A cheap first check whether the text before a sign could name a secret; most signs have no such name. */
export function isNamed(view: TextView, sign: number): boolean {
  return view.mayFollowName(sign) || isForeign(view.text, sign)
}

function nameBefore(view: TextView, sign: number): SecretName | null {
  if (!isNamed(view, sign)) return null
  const { text } = view
  let end = sign
  while (end > 0 && sign - end < 6 && isNameTail(text.charCodeAt(end - 1))) end--
  const start = nameStart(text, end)
  if (isValue(text, start, end)) return readSecretName(labelBefore(text, sign))
  return start < view.lastStemEnd(sign) || isForeign(text, sign) ? view.classifier().nameIn(start, end) : null
}

/** Where the name that ends at `end` begins, at most {@link nameBlanks} blanks earlier. */
function nameStart(text: string, end: number): number {
  const first = Math.max(0, end - nameLength)
  let start = end
  for (let blanks = 0; start > first && blanks <= nameBlanks; start--) {
    const code = text.charCodeAt(start - 1)
    if (!isNamePart(code)) break
    if (code === 32) blanks++
  }
  return start
}

/** True when the name is only the word `value`. */
function isValue(text: string, start: number, end: number): boolean {
  if (end - start < 5 || (text.charCodeAt(end - 1) | 0x20) !== 0x65) return false
  return /^ *value$/i.test(text.slice(start, end))
}

/** The name in texts such as `"name": "API_KEY", "value"` and `key="ApiKey" value`, shortly before `at`. */
function labelBefore(text: string, at: number): string {
  const written = text.slice(Math.max(0, at - nameLength), at)
  // Only ASCII is converted: `İ` gets longer in lower case, which would shift every index behind it.
  const lowered = written.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const head = written.slice(0, lowered.lastIndexOf('value'))
  const label = head.match(/[\w.-]+/g)?.at(-1) ?? ''
  const gap = head.slice(head.lastIndexOf(label) + label.length)
  return /^["'\s,]+$/.test(gap) ? label : ''
}

/** The index behind the rest of the sign, blanks, the mark of a YAML block, and at most one line break. */
function skipSigns(text: string, sign: number): number {
  let at = sign + (isQuote(text.charCodeAt(sign)) ? 0 : 1)
  while (at - sign < 4 && '=>:~*'.includes(text.charAt(at) || ' ')) at++
  at = skipBlanks(text, at)
  const code = text.charCodeAt(at)
  if (code === 0x7c || code === 0x3e) at += /^[|>][-+]?(?=\r?\n)/.exec(text.slice(at, at + 4))?.[0].length ?? 0
  if (text.charAt(at) === '\r') at++
  return text.charAt(at) === '\n' ? skipBlanks(text, at + 1) : at
}

/** How the sign before a value is written. */
interface SignSyntax {
  readonly spaced: boolean
  readonly bare: boolean
  readonly reported: boolean
}

function valueAt(
  view: TextView,
  name: SecretName,
  at: number,
  { spaced, bare, reported }: SignSyntax,
): SecretSpan | null {
  const loose = spaced || isBlank(view.text.charCodeAt(at - 1)) || view.text.charAt(at - 1) === '\n'
  const found = spanAt(view, name, at, { loose, bare, reported })
  if (found !== null || name.kind !== 'authorization') return found
  const scheme = /^["'`]?[A-Za-z][A-Za-z-]{2,19} /.exec(view.text.slice(at, at + 24))
  return scheme === null ? null : spanAt(view, name, at + scheme[0].length, tight)
}

function spanAt(view: TextView, name: SecretName, at: number, written: Omit<ValueSyntax, 'quoted'>): SecretSpan | null {
  const { text } = view
  const quote = quoteAt(text, at)
  const closing = quote < 0 ? -1 : closingQuote(view, quote)
  const start = quote < 0 ? at : quote + 1
  const end = closing < 0 ? bareEnd(view, start) : closing
  const syntax = { ...written, quoted: closing >= 0, loose: written.loose && quote < 0 }
  const classifier = view.classifier()
  return classifier.isSecret(start, end, { name, syntax }) ? { start, end, kind: classifier.kindOf(name) } : null
}

/** Index of the opening quote: at `at`, or behind a backslash or the prefix letter of a Python string. */
function quoteAt(text: string, at: number): number {
  for (let quote = at; quote < at + 4; quote++) {
    if (isQuote(text.charCodeAt(quote))) return quote
    if (!'\\bfruBFRU@*('.includes(text.charAt(quote) || ' ')) return -1
  }
  return -1
}

function closingQuote(view: TextView, quote: number): number {
  const { text } = view
  const closing = view.next(text.charAt(quote), quote + 1)
  if (closing < 0 || closing - quote > quotedLength) return -1
  const newline = view.next('\n', quote + 1)
  if (newline >= 0 && newline < closing) return -1
  return text.charAt(closing - 1) === '\\' ? closing - 1 : closing
}

/** The end of an unquoted value, before the next URL parameter and before closing punctuation. */
function bareEnd(view: TextView, start: number): number {
  const { text } = view
  let end = view.runEnd(alphabets.bare, start)
  for (const mark of '&,') {
    const at = view.next(mark, start)
    if (at < 0 || at >= end) continue
    if (/^[&,](?:["']?[\w.[\]-]{1,40}["']?[=:]|$)/.test(text.slice(at, Math.min(end, at + 44)))) end = at
  }
  while (end > start && '.:!?)]}*|&,'.includes(text.charAt(end - 1))) end--
  return end
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at - from < 24 && isBlank(text.charCodeAt(at))) at++
  return at
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x60
}

/** True when the word before a sign is in another script, which {@link isNamed} cannot check quickly. */
function isForeign(text: string, sign: number): boolean {
  return text.charCodeAt(sign - 1) > 127 || text.charCodeAt(sign - 2) > 127
}

/** Characters allowed between a name and its sign: blanks, quotes, `]`, `?`, `!`, `*` and the backslash of a quote. */
function isNameTail(code: number): boolean {
  return (
    isBlank(code) || isQuote(code) || code === 0x5d || code === 0x3f || code === 0x21 || code === 0x2a || code === 0x5c
  )
}

function isNamePart(code: number): boolean {
  if (code > 127) return true
  return alphabets.dotted.members[code] === 1 || code === 32
}
