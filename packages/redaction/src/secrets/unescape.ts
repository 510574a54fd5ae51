import { createCodeUnits } from '../code-units.ts'

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

/** The characters with which escapes begin. */
interface Escaping {
  readonly marks: readonly [string] | readonly [string, string]
  readonly undo: Undo
}

/** Packs both into one number, because allocating an object per escape would dominate the cost. */
function undoneAs(length: number, code: number): number {
  return length * 0x10000 + code
}

const backslashes: Escaping = { marks: ['\\'], undo: undoBackslash }
const webEscapes: Escaping = { marks: ['%', '&'], undo: undoWeb }

const memory = createCodeUnits()
/** Memory for texts of at most so many characters; a longer one gets its own. */
const undoneUnits = new Uint16Array(262_144)

function unescapeAll(text: string, { marks, undo }: Escaping): Unescaped | null {
  if (!marks.some((mark) => isEscaped(text, mark, undo))) return null
  const [mark, other = mark] = marks.map((each) => each.charCodeAt(0)) as [number, number?]
  const units = memory.load(text)
  const undone = text.length <= undoneUnits.length ? undoneUnits : new Uint16Array(text.length)
  /** Behind each escape: its index in the text without escapes, and how many characters less there are before it. */
  const ends: number[] = []
  const shifts: number[] = []
  let length = 0
  for (let at = 0; at < text.length; ) {
    const code = units[at] as number
    const packed = code === mark || code === other ? undo(text, at) : 0
    undone[length++] = packed === 0 ? code : packed & 0xffff
    at += packed === 0 ? 1 : packed >>> 16
    if (packed === 0) continue
    ends.push(length)
    shifts.push(at - length)
  }
  const writtenAt = (index: number) => index + (shifts[countUpTo(ends, index) - 1] ?? 0)
  return {
    text: Buffer.from(undone.buffer, 0, 2 * length).toString('utf16le'),
    written: (start, end) => ({ start: writtenAt(start), end: Math.min(writtenAt(end), text.length) }),
  }
}

/** How many of the sorted numbers are at most `limit`. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as number) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

function isEscaped(text: string, mark: string, undo: Undo): boolean {
  let at = text.indexOf(mark)
  while (at >= 0 && undo(text, at) === 0) at = text.indexOf(mark, at + 1)
  return at >= 0
}

function undoWeb(text: string, at: number): number {
  return text.charCodeAt(at) === 0x25 ? undoPercent(text, at) : undoEntity(text, at)
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
