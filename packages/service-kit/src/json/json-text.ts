/** The bytes that give JSON its structure. All are ASCII, so they can be found in UTF-8 without decoding it. */
export const QUOTE = 0x22
const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const OPEN_BRACKET = 0x5b

/** Offset of the first byte at or after `from` that is not JSON white space. */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && isSpace(bytes[at])) at += 1
  return at
}

/** Offset just past the last byte before `to`, and not before `from`, that is not JSON white space. */
export function trimSpace(bytes: Buffer, from: number, to: number): number {
  let at = to
  while (at > from && isSpace(bytes[at - 1])) at -= 1
  return at
}

/**
 * Offset just past the closing quote of the string whose contents start at `from`, or -1 when it never closes.
 *
 * A short string is cheapest byte by byte and a long one by native search, so the search starts only after
 * `LOOK_FIRST` bytes without a quote; after an escaped quote it starts over, which bounds the number of native calls.
 */
export function endOfString(bytes: Buffer, from: number): number {
  let at = from
  for (;;) {
    const stop = at + LOOK_FIRST
    while (at < stop && at < bytes.length) {
      const byte = bytes[at]
      if (byte === QUOTE) return at + 1
      if (byte === BACKSLASH) at += 1
      at += 1
    }
    if (at >= bytes.length) return -1
    const quote = bytes.indexOf(QUOTE, at)
    if (quote === -1) return -1
    if (!isEscaped(bytes, quote)) return quote + 1
    at = quote + 1
  }
}

/**
 * True when the bytes between `from` and `to`, the inside of a JSON string, spell the ASCII word `word` in any mixture
 * of plain characters and `\u` escapes.
 */
export function spells(bytes: Buffer, from: number, to: number, word: string): boolean {
  if (to - from < word.length) return false
  let at = from
  for (let index = 0; index < word.length; index += 1) {
    const expected = word.charCodeAt(index)
    if (bytes[at] === expected) at += 1
    else if (isEscapeOf(bytes, at, expected)) at += 6
    else return false
  }
  return at === to
}

/** The text of a JSON string as `JSON.parse` reads it, or null when its escapes are wrong. */
export function decodeString(bytes: Buffer, from: number, to: number): string | null {
  const raw = bytes.toString('utf8', from, to)
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return null
  }
}

/** The first character of a stand-in key (parse-scanned.ts). */
export const STAND_IN_MARK = '='

/** True when a key is written with an escape, or could be confused with a stand-in key. */
export function isUnsafeKey(bytes: Buffer, from: number, to: number): boolean {
  if (bytes[from] === STAND_IN_MARK.charCodeAt(0)) return true
  let at = from
  while (at < to && bytes[at] !== BACKSLASH) at += 1
  return at < to
}

const LOOK_FIRST = 32
const LOWER_U = 0x75
const ZERO = 0x30

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** True for an odd number of backslashes before a quote: the last of them escapes it. */
function isEscaped(bytes: Buffer, quote: number): boolean {
  let at = quote
  while (bytes[at - 1] === BACKSLASH) at -= 1
  return (quote - at) % 2 === 1
}

function isEscapeOf(bytes: Buffer, at: number, code: number): boolean {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LOWER_U) return false
  if (bytes[at + 2] !== ZERO || bytes[at + 3] !== ZERO) return false
  return hexDigit(bytes[at + 4]) === code >> 4 && hexDigit(bytes[at + 5]) === (code & 15)
}

/** The value of a hexadecimal digit in either case, or -1. */
function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= ZERO && byte <= ZERO + 9) return byte - ZERO
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1
}
