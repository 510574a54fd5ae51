import { CALENDAR, SMALL_MONTHS } from './lexicon.ts'
import { MASK, type Word } from './prompt-piece.ts'

/** A run of letters longer than this is a key or a blob, not a word. */
const MAX_WORD_LENGTH = 40

/** `al-Sayed`, `d'Angelo` */
const PREFIXED_NAME = /^\p{Ll}{1,3}[-'’]\p{Lu}\p{Ll}/u

/** What stands before and after a month in a date: `le 1er`, `18 de`, `2026`. */
const DAY_BEFORE = /\d(?:er|[.ºª])? (?:de )?$/
const YEAR_AFTER = /^ (?:de )?\d{4}\b/
const LONGEST_DAY = 8

/** `M. Dupont` */
const MONSIEUR = /^M\. \p{Lu}/u

/** The word that redaction puts in place of a secret, inside brackets. */
const REDACTED = 'redacted'

/** Reads the word that begins at `start`: letters, digits, and the marks inside ids and URLs. */
export function scanWord(text: string, start: number): Word {
  const first = text.charCodeAt(start)
  if (isIdeograph(first)) return { text: text.slice(start, start + 1), capital: false, start, end: start + 1 }
  let end = start
  let masked = false
  let slashes = 0
  while (end < text.length) {
    const code = text.charCodeAt(end)
    if (isWordChar(code)) {
      if (isIdeograph(code)) break
      if (code >= 0x30 && code <= 0x39) masked = true
    } else if (text.startsWith('://', end)) {
      return { text: MASK, capital: false, start, end: addressEnd(text, end) }
    } else if (!joins(code) || end + 1 >= text.length || !isWordChar(text.charCodeAt(end + 1))) break
    else if (code === 0x40) masked = true
    else if (code === 0x2f) slashes += 1
    end += 1
  }
  if (masked || slashes > 1 || end - start > MAX_WORD_LENGTH) return { text: MASK, capital: false, start, end }
  return wordOf(text, start, end)
}

function wordOf(text: string, start: number, end: number): Word {
  const raw = text.slice(start, end)
  const lower = raw.toLowerCase()
  const isCapital = raw.charCodeAt(0) !== lower.charCodeAt(0) && raw !== raw.toUpperCase()
  const capital = isCapital || PREFIXED_NAME.test(raw) || (raw === 'M' && MONSIEUR.test(text.slice(start, start + 4)))
  const isDate = (capital && CALENDAR.has(lower)) || (SMALL_MONTHS.has(lower) && isDated(text, start, end))
  if (isDate || lower === REDACTED) return { text: MASK, capital: false, start, end }
  return { text: lower, capital, start, end }
}

function isDated(text: string, start: number, end: number): boolean {
  return (
    DAY_BEFORE.test(text.slice(Math.max(0, start - LONGEST_DAY), start)) || YEAR_AFTER.test(text.slice(end, end + 9))
  )
}

/** A URL ends at a space, or before the punctuation at the end of its sentence. */
function addressEnd(text: string, from: number): number {
  const space = text.indexOf(' ', from)
  let end = space === -1 ? text.length : space
  while ('.,;:!?)]}>"\''.includes(text.charAt(end - 1)) && end > from + 3) end -= 1
  return end
}

/** True for letters, digits and underscores, and beyond ASCII for everything but spaces and punctuation. */
export function isWordChar(code: number): boolean {
  if (code < 0x80) {
    return (
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x30 && code <= 0x39) ||
      code === 0x5f
    )
  }
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba
  if (code >= 0x2000 && code <= 0x2bff) return false
  return !(
    (code >= 0x3000 && code <= 0x303f) ||
    (code >= 0xff00 && code <= 0xff0f) ||
    (code >= 0xff1a && code <= 0xff20)
  )
}

/** True for Kana and Han, which are written without spaces, so each character counts as a word. */
function isIdeograph(code: number): boolean {
  return code >= 0x3040 && code <= 0x9fff
}

/** True for marks that join word characters: - ' ’ . @ / + & */
function joins(code: number): boolean {
  return (
    code === 0x2d ||
    code === 0x27 ||
    code === 0x2019 ||
    code === 0x2e ||
    code === 0x40 ||
    code === 0x2f ||
    code === 0x2b ||
    code === 0x26
  )
}
