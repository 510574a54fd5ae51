/** A text with its escapes undone, and a mapping back to the written text. */
export interface Unescaped {
  readonly text: string
  /** @returns the span of the written text for `[start, end)` of `text`; it contains whole escapes. */
  written(start: number, end: number): { start: number; end: number }
}

/** Codes of the characters that follow a backslash. */
const singles = codeTable({ n: 10, r: 13, t: 9, b: 32, f: 32, '/': 47, '\\': 92, '"': 34, "'": 39, '`': 96 })
const entities: Readonly<Record<string, number>> = { '&quot;': 34, '&amp;': 38, '&lt;': 60, '&gt;': 62, '&apos;': 39 }

/** Undoes one level of the backslash escapes of JSON and of string literals; null when there is none. */
export function unescapeBackslashes(text: string): Unescaped | null {
  return unescapeAll(text, backslashes)
}

/**
 * Undoes percent-encoding (of characters with at most three bytes in UTF-8) and the entities of HTML and XML for ASCII,
 * in the same pass; null when there is none.
 */
export function unescapeWeb(text: string): Unescaped | null {
  return unescapeAll(text, webEscapes)
}

/** Returns length and code of the escape at `at` as {@link undoneAs} packs them; 0 when there is none. */
type Undo = (text: string, at: number) => number

interface Escaping {
  /** The code of the first character of every escape. */
  readonly mark: number
  readonly undo: Undo
}

/** Packs both into one number, because allocating an object per escape would dominate the cost. */
function undoneAs(length: number, code: number): number {
  return length * 0x10000 + code
}

const backslashes: readonly Escaping[] = [{ mark: 0x5c, undo: undoBackslash }]
const webEscapes: readonly Escaping[] = [
  { mark: 0x25, undo: undoPercent },
  { mark: 0x26, undo: undoEntity },
]

/** For shorter texts a plain array is faster than a typed array. */
const shortText = 1_024

function unescapeAll(text: string, escapings: readonly Escaping[]): Unescaped | null {
  if (!escapings.some((each) => isEscaped(text, each))) return null
  const isShort = text.length < shortText
  const codes: number[] | Uint16Array = isShort ? [] : new Uint16Array(text.length)
  /** Index of each character in the written text; an escape ends where the next character begins. */
  const starts: number[] | Int32Array = isShort ? [] : new Int32Array(text.length + 1)
  let length = 0
  for (let at = 0; at < text.length; length++) {
    const code = text.charCodeAt(at)
    const undone = undoAt(text, at, escapings)
    codes[length] = undone === 0 ? code : undone & 0xffff
    starts[length] = at
    at += undone === 0 ? 1 : undone >>> 16
  }
  starts[length] = text.length
  return {
    text: Array.isArray(codes)
      ? String.fromCharCode(...codes)
      : Buffer.from(codes.buffer, 0, 2 * length).toString('utf16le'),
    written: (start, end) => ({ start: starts[start] ?? 0, end: Math.min(starts[end] ?? 0, text.length) }),
  }
}

function undoAt(text: string, at: number, escapings: readonly Escaping[]): number {
  const code = text.charCodeAt(at)
  for (const { mark, undo } of escapings) if (code === mark) return undo(text, at)
  return 0
}

function isEscaped(text: string, { mark, undo }: Escaping): boolean {
  const sign = String.fromCharCode(mark)
  let at = text.indexOf(sign)
  while (at >= 0 && undo(text, at) === 0) at = text.indexOf(sign, at + 1)
  return at >= 0
}

function undoBackslash(text: string, at: number): number {
  const next = text.charCodeAt(at + 1)
  const single = singles[next] ?? 0
  if (single !== 0) return undoneAs(2, single)
  const digits = next === 0x75 ? 4 : next === 0x78 ? 2 : 0
  const code = digits === 0 ? -1 : hexAt(text, at + 2, digits)
  return code < 0 ? 0 : undoneAs(2 + digits, code)
}

function undoPercent(text: string, at: number): number {
  const first = byteAt(text, at)
  if (first < 0x80) return first < 0 ? 0 : undoneAs(3, first)
  const second = byteAt(text, at + 3) & 0x3f
  if (first >= 0xc2 && first < 0xe0) return undoneAs(6, ((first & 0x1f) << 6) | second)
  if (first < 0xe0 || first > 0xef) return 0
  const third = byteAt(text, at + 6) & 0x3f
  return undoneAs(9, ((first & 0x0f) << 12) | (second << 6) | third)
}

function undoEntity(text: string, at: number): number {
  const length = text.slice(at, at + 8).indexOf(';') + 1
  if (length === 0) return 0
  const entity = text.slice(at, at + length)
  if (entity.charCodeAt(1) !== 0x23)
    return Object.hasOwn(entities, entity) ? undoneAs(length, entities[entity] ?? 0) : 0
  const number = /^&#(?:x([0-9a-f]{2})|(\d{2,3}));$/i.exec(entity)
  if (number === null) return 0
  const code = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16)
  return code < 128 ? undoneAs(length, code) : 0
}

/** The number that `digits` hexadecimal digits at `at` write; -1 when there is none. */
function hexAt(text: string, at: number, digits: number): number {
  let value = 0
  for (let index = at; index < at + digits; index++) {
    const digit = digitOf(text.charCodeAt(index))
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

/** The value of a hexadecimal digit; -1 for any other code, also NaN at the end of the text. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 && code < 128 ? lower - 0x57 : -1
}

/** The byte written as `%XX` at `at`; -1 when there is none. */
function byteAt(text: string, at: number): number {
  return text.charCodeAt(at) === 0x25 ? hexAt(text, at + 1, 2) : -1
}

function codeTable(codes: Readonly<Record<string, number>>): Uint8Array {
  const table = new Uint8Array(128)
  for (const [character, code] of Object.entries(codes)) table[character.charCodeAt(0)] = code
  return table
}
