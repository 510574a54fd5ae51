/** The part of `JSON` that TypeScript's library does not declare: it writes numbers back as they were read. */
interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}
const sourceJson = JSON as unknown as SourceJson

/**
 * `JSON.parse` for values that are only written again: ids of more than 53 bits in a tool's arguments stay exact. For
 * this, numbers in the result may be opaque objects, which `JSON.stringify` writes as they were read.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseExact(text: string): unknown {
  // Most texts have no such number, and a reviver takes several times as long.
  if (!mayLoseDigits(text)) return JSON.parse(text)
  return sourceJson.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value
    return sourceJson.rawJSON(source)
  })
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
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const end = quote < 0 ? text.length : quote
    if (hasFragileNumber(text, at, end)) return true
    at = quote < 0 ? end : endOfString(text, quote)
  }
  return false
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

/** True when a number of the range, which has no strings, would be written in another way than it is there. */
function hasFragileNumber(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (!beginsNumber(text.charCodeAt(at))) continue
    let isWhole = text.charCodeAt(at) !== minus
    const first = at
    for (; at < end && isOfNumber(text.charCodeAt(at)); at++) isWhole &&= isDigit(text.charCodeAt(at))
    if (isWhole && at - first <= longestExact) continue
    const written = text.slice(first, at)
    if (String(Number(written)) !== written) return true
  }
  return false
}

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
