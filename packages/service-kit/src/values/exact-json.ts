import { randomBytes } from 'node:crypto'

/** The part of `JSON` that TypeScript's library does not declare: it writes numbers back as they were read. */
interface SourceJson {
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}
const sourceJson = JSON as unknown as SourceJson

/**
 * `JSON.parse` for values that are only written again: ids of more than 53 bits in a tool's arguments stay exact. For
 * this, numbers in the result may be opaque objects, which `JSON.stringify` writes as they were read.
 *
 * A reviver would take up to twenty times as long, seconds for a large body. So such numbers are parsed as strings with a prefix
 * that nobody can guess, and replaced afterwards.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseExact(text: string): unknown {
  const prefix = `${randomBytes(9).toString('base64url')}:`
  const marked = markNumbers(text, prefix)
  return marked === null ? JSON.parse(text) : withNumbers(JSON.parse(marked), prefix)
}

/** The text with strings in place of its fragile numbers; null when there are none. */
function markNumbers(text: string, prefix: string): string | null {
  const pieces: string[] = []
  let copied = 0
  for (const { start, end } of fragileNumbers(text)) {
    // What JSON does not allow must stay as it is, so that the parser refuses it.
    const written = text.slice(start, end)
    if (!isNumber.test(written) || isKey(text, end)) continue
    pieces.push(`${text.slice(copied, start)}"${prefix}${written}"`)
    copied = end
  }
  return copied === 0 ? null : pieces.join('') + text.slice(copied)
}

const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** True when a colon follows. */
function isKey(text: string, end: number): boolean {
  let at = end
  while (isSpace(text.charCodeAt(at))) at++
  return text.charCodeAt(at) === 0x3a
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** Replaces the marked strings in a value that was just parsed, at any depth. */
function withNumbers(parsed: unknown, prefix: string): unknown {
  const numbers = new Map<string, unknown>()
  const open: object[] = []
  const read = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) open.push(value)
    if (typeof value !== 'string' || !value.startsWith(prefix)) return value
    const written = value.slice(prefix.length)
    const number = numbers.get(written) ?? sourceJson.rawJSON(written)
    numbers.set(written, number)
    return number
  }
  const result = read(parsed)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) replaceItems(next, read)
    else replaceMembers(next as Record<string, unknown>, read)
  }
  return result
}

type Read = (value: unknown) => unknown

function replaceItems(list: unknown[], read: Read): void {
  for (let index = 0; index < list.length; index++) {
    const value = list[index]
    const now = read(value)
    if (now !== value) list[index] = now
  }
}

function replaceMembers(object: Record<string, unknown>, read: Read): void {
  for (const key of Object.keys(object)) {
    const value = object[key]
    const now = read(value)
    // Assigned to, `__proto__` would be something else.
    if (now !== value) Object.defineProperty(object, key, { value: now })
  }
}

/** True for an opaque number of `parseExact`, which must be passed on as it is. */
export function isExactNumber(value: unknown): boolean {
  return sourceJson.isRawJSON(value)
}

/**
 * False when `JSON.parse` and `JSON.stringify` write all numbers of a JSON text as they are in it. Texts between quotes are
 * skipped, because most of a conversation is in them.
 */
export function mayLoseDigits(text: string): boolean {
  return fragileNumbers(text).next().done !== true
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Finds the numbers that would be written in another way than they are in the text. */
function* fragileNumbers(text: string): Generator<Range> {
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const end = quote < 0 ? text.length : quote
    for (let found = nextFragile(text, at, end); found !== null; found = nextFragile(text, found.end, end)) yield found
    at = quote < 0 ? end : endOfString(text, quote)
  }
}

/** Index behind the string that begins with the quote; the length of the text when it does not end. */
function endOfString(text: string, quote: number): number {
  for (let at = text.indexOf('"', quote + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = at
    while (text.charCodeAt(backslashes - 1) === 0x5c) backslashes--
    if ((at - backslashes) % 2 === 0) return at + 1
  }
  return text.length
}

/** Digits of a whole number that a double surely keeps. Other numbers are compared as texts. */
const longestExact = 15

/** The first number of the range that would be written in another way than it is there. The range has no strings. */
function nextFragile(text: string, from: number, end: number): Range | null {
  for (let at = from; at < end; at++) {
    if (!beginsNumber(text.charCodeAt(at))) continue
    let isWhole = text.charCodeAt(at) !== minus
    const start = at
    for (; at < end && isOfNumber(text.charCodeAt(at)); at++) isWhole &&= isDigit(text.charCodeAt(at))
    if (isWhole && at - start <= longestExact) continue
    if (isFragile(text, start, at)) return { start, end: at }
  }
  return null
}

function isFragile(text: string, start: number, end: number): boolean {
  const written = text.slice(start, end)
  // A zero at the end of a fraction is never written. To see that is faster than to compare.
  const hasLastZero = text.charCodeAt(end - 1) === zero && written.includes('.') && !/e/i.test(written)
  return hasLastZero || String(Number(written)) !== written
}

const zero = 0x30
const minus = 0x2d

function beginsNumber(code: number): boolean {
  return isDigit(code) || code === minus
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Digits, a sign, a point or the letter of an exponent. */
function isOfNumber(code: number): boolean {
  return isDigit(code) || code === minus || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65
}
