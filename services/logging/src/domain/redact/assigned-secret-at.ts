import { alphabets } from './alphabets.ts'
import { readSecretName, type SecretName } from './secret-name.ts'
import type { SecretSpan } from './secret-span.ts'
import type { ValueSyntax } from './secret-value.ts'
import type { TextView } from './text-view.ts'

/** How far back a name may begin. */
const nameLength = 48
/** In how many words a name may be written, less one: `api key prod`. */
const nameBlanks = 2
const tight = { loose: false }
/** How a password behind a name and a colon is written. */
const userSyntax: ValueSyntax = { quoted: false, loose: false }
/** How long a value in quotes may be. */
const quotedLength = 4_096

/**
 * The secret after a `=`, `:`, `=>`, `:=`, a quote or a word at `sign`, by the name before it.
 *
 * @param last where that sign's last character is, when it has several that are no signs themselves.
 */
export function assignedSecretAt(view: TextView, sign: number, last: number = sign): SecretSpan | null {
  const name = nameBefore(view, sign)
  if (name === null) return null
  const spaced = isBlank(view.text.charCodeAt(sign - 1))
  const code = view.text.charCodeAt(sign)
  return valueAt(view, name, skipSigns(view.text, last), {
    spaced,
    bare: code === 32,
    reported: code === 0x3a || code === 0x7c,
  })
}

/** The secret in `--name value`; asked at the first dash. */
export function flaggedSecretAt(view: TextView, dash: number): SecretSpan | null {
  const start = dash + 2
  const end = view.runEnd(alphabets.dashed, start)
  if (view.text.charAt(end) !== ' ' || end - start > nameLength) return null
  const name = view.judge().nameIn(start, end)
  return name === null ? null : spanAt(view, name, end + 1, tight)
}

/** The password in `-u name:password` of a command line; asked where the argument begins. */
export function userArgumentAt(view: TextView, start: number): SecretSpan | null {
  const from = isQuote(view.text.charCodeAt(start)) ? start + 1 : start
  const end = view.runEnd(alphabets.bare, from)
  const colon = view.next(':', from)
  if (colon <= from || colon >= end || view.text.startsWith('//', colon + 1)) return null
  const name: SecretName = { kind: 'password', password: true, written: '' }
  return view.judge().isSecret(colon + 1, end, { name, syntax: userSyntax })
    ? { start: colon + 1, end, kind: 'password' }
    : null
}

/** Whether anything before a sign could name a secret; cheap, for most signs of most texts have no such name. */
export function isNamed(view: TextView, sign: number): boolean {
  const stemEnd = view.lastStemEnd(sign)
  return (stemEnd >= 0 && sign - stemEnd <= nameLength + 6) || isForeign(view.text, sign)
}

function nameBefore(view: TextView, sign: number): SecretName | null {
  if (!isNamed(view, sign)) return null
  const { text } = view
  let end = sign
  while (end > 0 && sign - end < 6 && isNameTail(text.charCodeAt(end - 1))) end--
  const start = nameStart(text, end)
  if (isValue(text, start, end)) return readSecretName(labelBefore(text, sign))
  return start < view.lastStemEnd(sign) || isForeign(text, sign) ? view.judge().nameIn(start, end) : null
}

/** Where the name that ends at `end` begins: some words back at most. */
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

/** Whether the name is nothing but the word `value`. */
function isValue(text: string, start: number, end: number): boolean {
  if (end - start < 5 || (text.charCodeAt(end - 1) | 0x20) !== 0x65) return false
  return /^ *value$/i.test(text.slice(start, end))
}

/** The name in `"name": "API_KEY", "value"`, `key="ApiKey" value` and the like, which ends soon before `at`. */
function labelBefore(text: string, at: number): string {
  const written = text.slice(Math.max(0, at - nameLength), at)
  // Only ASCII is lowered: `İ` grows by a character in lower case, and every place behind it would shift.
  const lowered = written.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const head = written.slice(0, lowered.lastIndexOf('value'))
  const label = head.match(/[\w.-]+/g)?.at(-1) ?? ''
  const gap = head.slice(head.lastIndexOf(label) + label.length)
  return /^["'\s,]+$/.test(gap) ? label : ''
}

/** Behind the rest of the sign, blanks, the mark of a block in YAML, and at most one line break. */
function skipSigns(text: string, sign: number): number {
  let at = sign + (isQuote(text.charCodeAt(sign)) ? 0 : 1)
  while (at - sign < 4 && '=>:~*'.includes(text.charAt(at) || ' ')) at++
  at = skipBlanks(text, at)
  const code = text.charCodeAt(at)
  if (code === 0x7c || code === 0x3e) at += /^[|>][-+]?(?=\r?\n)/.exec(text.slice(at, at + 4))?.[0].length ?? 0
  if (text.charAt(at) === '\r') at++
  return text.charAt(at) === '\n' ? skipBlanks(text, at + 1) : at
}

/** How the sign before a value was written. */
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
  const judge = view.judge()
  return judge.isSecret(start, end, { name, syntax }) ? { start, end, kind: judge.kindOf(name) } : null
}

/** Where the opening quote stands: here, or behind a backslash or the letter of a Python string. */
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

/** The end of a value that nothing encloses: without the next parameter of a URL, and without closing punctuation. */
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

/** Whether the word before a sign is of another script, whose names are not looked for beforehand. */
function isForeign(text: string, sign: number): boolean {
  return text.charCodeAt(sign - 1) > 127 || text.charCodeAt(sign - 2) > 127
}

/** What may stand between a name and its sign: blanks, quotes, `]`, `?`, `!`, `*` and the backslash of a quote. */
function isNameTail(code: number): boolean {
  return (
    isBlank(code) || isQuote(code) || code === 0x5d || code === 0x3f || code === 0x21 || code === 0x2a || code === 0x5c
  )
}

function isNamePart(code: number): boolean {
  if (code > 127) return true
  return alphabets.dotted.members[code] === 1 || code === 32
}
