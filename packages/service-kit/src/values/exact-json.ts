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
  const edges: number[] = []
  visitFragile(text, (start, end) => {
    // What JSON does not allow must stay as it is, so that the parser refuses it.
    if (isNumber.test(text.slice(start, end)) && !isKey(text, end)) edges.push(start, end)
    return true
  })
  return edges.length === 0 ? null : withInserts(text, edges, [`"${prefix}`, '"'])
}

/** The text with the first insert at the first of each two places, and the second one at the second. */
function withInserts(text: string, places: readonly number[], inserts: readonly [string, string]): string {
  const [first, second] = inserts.map(unitsOf) as [Uint16Array, Uint16Array]
  const units = unitsOf(text)
  // Arrays of units: joining millions of short texts takes several times as long.
  const result = new Uint16Array(units.length + (places.length / 2) * (first.length + second.length))
  let [from, to] = [0, 0]
  for (let index = 0; index <= places.length; index++) {
    const until = places[index] ?? units.length
    while (from < until) result[to++] = units[from++] as number
    if (index === places.length) break
    const insert = index % 2 === 0 ? first : second
    for (let at = 0; at < insert.length; at++) result[to++] = insert[at] as number
  }
  return Buffer.from(result.buffer).toString('utf16le')
}

function unitsOf(text: string): Uint16Array<ArrayBuffer> {
  const units = new Uint16Array(text.length)
  Buffer.from(units.buffer).write(text, 'utf16le')
  return units
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
  return !visitFragile(text, () => false)
}

/** Gets the start and the end of a number. False ends the search. */
type Visit = (start: number, end: number) => boolean

/** Finds the numbers that would be written in another way than they are in the text. False when the visitor ended it. */
function visitFragile(text: string, visit: Visit): boolean {
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const end = quote < 0 ? text.length : quote
    if (!visitRange(text, { start: at, end }, visit)) return false
    at = quote < 0 ? end : endOfJsonString(text, quote)
  }
  return true
}

/** Index behind the string that begins with the quote; the length of the text when it does not end. */
export function endOfJsonString(text: string, quote: number): number {
  for (let at = text.indexOf('"', quote + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = at
    while (text.charCodeAt(backslashes - 1) === 0x5c) backslashes--
    if ((at - backslashes) % 2 === 0) return at + 1
  }
  return text.length
}

/** Digits of a whole number that a double surely keeps. Other numbers are compared as texts. */
const longestExact = 15

interface Range {
  readonly start: number
  readonly end: number
}

/** The same in a range that has no strings. */
function visitRange(text: string, { start, end }: Range, visit: Visit): boolean {
  for (let at = start; at < end; at++) {
    if (!beginsNumber(text.charCodeAt(at))) continue
    let isWhole = text.charCodeAt(at) !== minus
    const first = at
    for (; at < end && isOfNumber(text.charCodeAt(at)); at++) isWhole &&= isDigit(text.charCodeAt(at))
    if (isWhole && at - first <= longestExact) continue
    if (isFragile(text, first, at) && !visit(first, at)) return false
  }
  return true
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
