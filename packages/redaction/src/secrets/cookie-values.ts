import { alphabets } from './alphabets.ts'
import type { SecretName } from './secret-name.ts'
import type { SecretSpan } from './secret-span.ts'
import type { ValueSyntax } from './secret-value.ts'
import type { CookieRange, TextView } from './text-view.ts'

/** Maximum length of the name of a cookie. */
const nameLength = 64
const cookie: SecretName = { kind: 'secret', password: false, written: '' }
const syntax: ValueSyntax = { quoted: false, loose: false }

/** Notes where the cookies are when the colon ends the name of a header for cookies, also as a field of JSON. */
export function noteCookieHeader(view: TextView, colon: number): void {
  const { text } = view
  let end = colon
  while (colon - end < 3 && isAround(text.charCodeAt(end - 1))) end--
  if (!endsLikeCookie(text.charCodeAt(end - 2) | 0x20, text.charCodeAt(end - 1) | 0x20)) return
  const name = /(?:^|[^\w-])((?:set-)?cookies?)$/i.exec(text.slice(Math.max(0, end - 12), end))?.[1]
  if (name === undefined) return
  const around = end === colon ? text.charCodeAt(end - name.length - 1) : 0
  noteCookies(view, colon + 1, { around, single: name.length > 7 })
}

/** True for what stands between the name of a field and its colon: a blank, a quote, or the backslash before one. */
function isAround(code: number): boolean {
  return code === 0x20 || code === 0x22 || code === 0x27 || code === 0x5c
}

/** A cheap first check: `ie` or `es`. */
function endsLikeCookie(beforeLast: number, last: number): boolean {
  return (beforeLast === 0x69 && last === 0x65) || (beforeLast === 0x65 && last === 0x73)
}

/** Notes where the cookies are that follow `--cookie ` at a dash. */
export function noteCookieFlag(view: TextView, dash: number): void {
  if (view.text.startsWith('--cookie ', dash)) noteCookies(view, dash + 9, { around: 0, single: false })
}

/** Finds the value of a cookie behind its `=`, when it looks generated. Names and settings of cookies are not secret. */
export function cookieValueAt(view: TextView, equals: number): SecretSpan | null {
  const { text, cookies } = view
  if (cookies === null || equals < cookies.start || equals >= cookies.end) return null
  let name = equals
  while (equals - name < nameLength && alphabets.dotted.members[text.charCodeAt(name - 1)] === 1) name--
  if (name < cookies.start || !isFirstOrSeparated(view, name, cookies)) return null
  const start = equals + (text.charAt(equals + 1) === '"' ? 2 : 1)
  let end = Math.min(view.runEnd(alphabets.bare, start), Math.max(start, cookies.end))
  while (end > start && '.,:!?)]}'.includes(text.charAt(end - 1))) end--
  return view.classifier().isSecret(start, end, { name: cookie, syntax }) ? { start, end, kind: 'cookie' } : null
}

interface Opening {
  /** The quote before the name of the header, as in `-H 'Cookie: …'`, where the cookies end; another code for none. */
  readonly around: number
  readonly single: boolean
}

function noteCookies(view: TextView, from: number, { around, single }: Opening): void {
  const { text } = view
  let start = from
  while (start - from < 6 && ' "\'\\['.includes(text.charAt(start) || '.')) start++
  const before = text.charAt(start - 1)
  const quote = isQuote(before) ? before : String.fromCharCode(around)
  const line = view.next('\n', start)
  const closing = isQuote(quote) ? view.next(quote, start) : -1
  const ends = [line, closing].filter((end) => end >= 0)
  view.cookies = { start, end: Math.min(text.length, ...ends), single }
}

function isFirstOrSeparated({ text }: TextView, name: number, { start, single }: CookieRange): boolean {
  if (name === start) return true
  let at = name
  while (name - at < 4 && text.charAt(at - 1) === ' ') at--
  return !single && text.charAt(at - 1) === ';'
}

function isQuote(character: string): boolean {
  return character === '"' || character === "'"
}
