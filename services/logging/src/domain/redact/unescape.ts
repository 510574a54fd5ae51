/** A text with its escapes undone, and the way back to the text as it was written. */
export interface Unescaped {
  readonly text: string
  /** @returns the span of the written text that `[start, end)` of `text` stands for; it never cuts an escape. */
  written(start: number, end: number): { start: number; end: number }
}

/** One undone escape: the character at `at` of the new text was `[start, end)` in the old. */
interface Escape {
  readonly at: number
  readonly start: number
  readonly end: number
}

const singles: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: ' ',
  f: ' ',
  '/': '/',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '`': '`',
}
const entities: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&apos;': "'",
}

/** Undoes one level of the backslash escapes of JSON and of string literals; null when there is none. */
export function unescapeBackslashes(text: string): Unescaped | null {
  return unescapeAll(text, '\\', (at) => {
    const next = text.charAt(at + 1)
    const single = singles[next]
    if (single !== undefined) return { character: single, length: 2 }
    return next === 'u' || next === 'x' ? codeAt(text, at + 2, next === 'u' ? 4 : 2) : null
  })
}

/** Undoes percent-encoding, of characters that UTF-8 writes in at most three bytes; null when there is none. */
export function unescapePercents(text: string): Unescaped | null {
  return unescapeAll(text, '%', (at) => {
    const first = byteAt(text, at)
    if (first < 0x80) return first < 0 ? null : { character: String.fromCharCode(first), length: 3 }
    const second = byteAt(text, at + 3) & 0x3f
    if (first >= 0xc2 && first < 0xe0)
      return { character: String.fromCharCode(((first & 0x1f) << 6) | second), length: 6 }
    if (first < 0xe0 || first > 0xef) return null
    const third = byteAt(text, at + 6) & 0x3f
    return { character: String.fromCharCode(((first & 0x0f) << 12) | (second << 6) | third), length: 9 }
  })
}

/** Undoes the entities of HTML and XML that stand for ASCII; null when there is none. */
export function unescapeEntities(text: string): Unescaped | null {
  return unescapeAll(text, '&', (at) => {
    const semicolon = text.slice(at, at + 8).indexOf(';') + 1
    const entity = text.slice(at, at + semicolon)
    const number = /^&#(?:x([0-9a-f]{2})|(\d{2,3}));$/i.exec(entity)
    if (number === null)
      return Object.hasOwn(entities, entity) ? { character: entities[entity] ?? '', length: semicolon } : null
    const code = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16)
    return code < 128 ? { character: String.fromCharCode(code), length: semicolon } : null
  })
}

type Undo = (at: number) => { character: string; length: number } | null

function unescapeAll(text: string, mark: string, undo: Undo): Unescaped | null {
  const escapes: Escape[] = []
  const parts: string[] = []
  let done = 0
  let length = 0
  for (let at = text.indexOf(mark); at >= 0; ) {
    const undone = undo(at)
    if (undone !== null) {
      parts.push(text.slice(done, at), undone.character)
      length += at - done + 1
      done = at + undone.length
      escapes.push({ at: length - 1, start: at, end: done })
    }
    at = text.indexOf(mark, Math.max(at + 1, done))
  }
  if (escapes.length === 0) return null
  parts.push(text.slice(done))
  return {
    text: parts.join(''),
    written: (start, end) => ({ start: locate(escapes, start).start, end: locate(escapes, end - 1).end }),
  }
}

/** Where the character at `at` was written. */
function locate(escapes: readonly Escape[], at: number): { start: number; end: number } {
  let low = 0
  for (let high = escapes.length; low < high; ) {
    const middle = (low + high) >>> 1
    if ((escapes[middle]?.at ?? 0) <= at) low = middle + 1
    else high = middle
  }
  const last = escapes[low - 1]
  if (last === undefined) return { start: at, end: at + 1 }
  if (last.at === at) return last
  const start = last.end + (at - last.at - 1)
  return { start, end: start + 1 }
}

/** The character with the hexadecimal code at `at`, behind two characters of the escape. */
function codeAt(text: string, at: number, digits: number): { character: string; length: number } | null {
  const hex = text.slice(at, at + digits)
  if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex)) return null
  return { character: String.fromCharCode(Number.parseInt(hex, 16)), length: 2 + digits }
}

/** The byte written as `%XX` at `at`; -1 when there is none. */
function byteAt(text: string, at: number): number {
  const written = text.slice(at, at + 3)
  return /^%[0-9a-fA-F]{2}$/.test(written) ? Number.parseInt(written.slice(1), 16) : -1
}
