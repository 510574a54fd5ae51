import { hashText } from './hash-text.ts'
import { MASK } from './prompt-piece.ts'
import { AFTER_NAMES, BEFORE_VERBS, DEFINITIONS, PREPOSITIONS, VERB_ENDINGS } from './value-words.ts'
import {
  isArticleToken,
  isCharacterToken,
  isFixedToken,
  isGenitiveToken,
  isIdeograph,
  isLinkingToken,
  type WordToken,
  wordToken,
} from './word-sketch.ts'

/** A line of instructions as tokens of its words. */
export type TokenLine = readonly WordToken[]

/** Words between two gaps of a line, or beside one. */
export interface Anchor {
  readonly size: number
  /** Of the tokens, so that single words cannot be found out. */
  readonly hash: number
}

/** A line in which values vary: what stands before, between and after them. */
export type SlotLine = readonly Anchor[]

/** Instructions in which values vary: the hash of each other line, and the anchors of those with a value. */
export type SlotPattern = readonly (number | SlotLine)[]

/** Different values that show that a word varies. Two applications, or three, may differ in one word. */
const VALUES = 4
/** The same where the word may be what the application does, or who it is. */
const VALUES_OF_TASK = 5
/** Words of a value at most. */
const MAX_WORDS = 4
/** Characters of a value at most, in languages without spaces. */
const MAX_CHARACTERS = 8
/** Lines that differ in a value at most, and values of a line. */
const MAX_LINES = 3
const MAX_GAPS = 3
/** Words of two lines that are compared for what they have in common. */
const MAX_COMPARED = 40
/** Words that the instructions have in common at least, beside those that link others; characters, without spaces. */
const MIN_COMMON = 3
const MIN_COMMON_CHARACTERS = 6

/** The place of a value in a line. */
interface Gap {
  readonly from: number
  readonly to: number
}

/** How two prompts with as many lines differ: the gaps of each line of the first one; null when in more than values. */
export type Difference = readonly (readonly Gap[])[]

/** Instructions as tokens, and the hash of each line. */
export interface TokenLines {
  readonly lines: readonly TokenLine[]
  readonly hashes: readonly number[]
}

/** @param lines as words */
export function tokenLines(lines: readonly string[]): TokenLines {
  return hashedLines(lines.map((line) => line.split(' ').map(wordToken)))
}

/** @param lines as they are stored */
export function storedLines(lines: readonly string[]): TokenLines {
  return hashedLines(lines.map((line) => line.split(' ')))
}

function hashedLines(lines: readonly TokenLine[]): TokenLines {
  return { lines, hashes: lines.map(hashTokens) }
}

export function differenceOf(one: TokenLines, other: TokenLines): Difference | null {
  if (one.lines.length !== other.lines.length) return null
  const difference: (readonly Gap[])[] = []
  let varying = 0
  for (const [index, line] of one.lines.entries()) {
    const gaps = one.hashes[index] === other.hashes[index] ? [] : gapsBetween(line, other.lines[index] ?? [])
    if (gaps === null) return null
    if (gaps.length > 0) varying += 1
    if (varying > MAX_LINES) return null
    difference.push(gaps)
  }
  return varying === 0 ? null : difference
}

function gapsBetween(one: TokenLine, other: TokenLine): readonly Gap[] | null {
  const whole = { from: 0, to: one.length, otherFrom: 0, otherTo: other.length }
  const gaps = unalike(one, other, whole)
  return gaps === null || gaps.length > MAX_GAPS ? null : gaps
}

/** A part of a line, and the part of the other line that it is compared with. */
interface Parts extends Gap {
  readonly otherFrom: number
  readonly otherTo: number
}

/** The gaps of the first line within a part of both lines; null when they differ in more than values. */
function unalike(one: TokenLine, other: TokenLine, parts: Parts): readonly Gap[] | null {
  let { from, to, otherFrom, otherTo } = parts
  while (from < to && otherFrom < otherTo && one[from] === other[otherFrom]) {
    from += 1
    otherFrom += 1
  }
  while (from < to && otherFrom < otherTo && one[to - 1] === other[otherTo - 1]) {
    to -= 1
    otherTo -= 1
  }
  if (from === to && otherFrom === otherTo) return []
  if (from > parts.from && isArticleToken(one[from - 1] ?? '')) {
    from -= 1
    otherFrom -= 1
  }
  const common = longestCommon(one, other, { from, to, otherFrom, otherTo })
  if (common === null) {
    return isGap(one, { from, to }) && isGap(other, { from: otherFrom, to: otherTo }) ? [{ from, to }] : null
  }
  const before = unalike(one, other, { from, to: common.from, otherFrom, otherTo: common.otherFrom })
  const rest = { from: common.from + common.size, to, otherFrom: common.otherFrom + common.size, otherTo }
  const after = before === null ? null : unalike(one, other, rest)
  return before === null || after === null ? null : [...before, ...after]
}

/** The longest run of words that both parts have inside; null without one. A single character is none. */
function longestCommon(one: TokenLine, other: TokenLine, { from, to, otherFrom, otherTo }: Parts) {
  if (to - from > MAX_COMPARED || otherTo - otherFrom > MAX_COMPARED) return null
  let best: { from: number; otherFrom: number; size: number } | null = null
  for (let start = from + 1; start < to - 1; start += 1) {
    for (let otherStart = otherFrom + 1; otherStart < otherTo - 1; otherStart += 1) {
      let size = 0
      while (start + size < to - 1 && otherStart + size < otherTo - 1 && one[start + size] === other[otherStart + size])
        size += 1
      const isEnough = size > 1 || (size === 1 && !isCharacterToken(one[start] ?? ''))
      if (isEnough && size > (best?.size ?? 0)) best = { from: start, otherFrom: otherStart, size }
    }
  }
  return best
}

/** True when the words may be a value. Words that link others stand at its beginning only, or belong to a genitive. */
function isGap(line: TokenLine, { from, to }: Gap): boolean {
  const value = line.slice(from, to)
  const content = value.slice(value.findIndex((token) => !isLinkingToken(token)))
  return (
    value.length > 0 &&
    !value.some(isFixedToken) &&
    !content.some((token, index) => isLinkingToken(token) && !(index > 0 && isGenitiveToken(token)))
  )
}

/**
 * The pattern of a prompt with gaps, and how many different values each gap needs; null when a gap may not vary, or a value is
 * too long.
 *
 * @param lines the words of the prompt
 */
export function patternOf(
  lines: readonly string[],
  difference: Difference,
): { readonly pattern: SlotPattern; readonly needed: readonly number[] } | null {
  const needed: number[] = []
  let common = 0
  const pattern = lines.map((line, index): number | SlotLine => {
    const words = line.split(' ')
    const tokens = words.map(wordToken)
    const gaps = difference[index] ?? []
    common += tokens.filter(
      (token, at) => token !== MASK && !isLinkingToken(token) && !gaps.some(({ from, to }) => at >= from && at < to),
    ).length
    if (gaps.length === 0) return hashTokens(tokens)
    needed.push(...gaps.map((gap) => valuesNeeded(words, gap)))
    return anchorsOf(tokens, gaps)
  })
  const isCjk = lines.some((line) => line.split(' ').some(isIdeograph))
  if (common < (isCjk ? MIN_COMMON_CHARACTERS : MIN_COMMON) || needed.includes(Number.POSITIVE_INFINITY)) return null
  return { pattern, needed }
}

function anchorsOf(tokens: TokenLine, gaps: readonly Gap[]): SlotLine {
  const ends = [0, ...gaps.map(({ to }) => to)]
  return ends.map((from, index) => {
    const anchor = tokens.slice(from, gaps[index]?.from ?? tokens.length)
    return { size: anchor.length, hash: hashTokens(anchor) }
  })
}

function hashTokens(tokens: TokenLine): number {
  return hashText(tokens.join(' '))
}

const NO = Number.POSITIVE_INFINITY

function valuesNeeded(words: readonly string[], { from, to }: Gap): number {
  const before = words.slice(0, from)
  const after = words.slice(to)
  if (words.some(isIdeograph)) return valuesNeededCjk(before, after, to - from)
  if (to - from > MAX_WORDS) return NO
  const isHangul = /^[\uac00-\ud7af]/.test(words.at(-1) ?? '')
  // The verb is the first word, or in Korean the last one.
  if (isHangul ? after.length === 0 : from === 0) return NO
  if (isHangul) return VALUES
  const isAbout = before.some((word) => PREPOSITIONS.has(word))
  if (isAbout) return VALUES
  const [next] = after
  const isModifier = next !== undefined && next !== MASK && !isLinkingToken(wordToken(next))
  return isModifier && !DEFINITIONS.test(before.join(' ')) ? VALUES : VALUES_OF_TASK
}

function valuesNeededCjk(before: readonly string[], after: readonly string[], size: number): number {
  if (size > MAX_CHARACTERS) return NO
  const rest = after.join('')
  const restSpaced = after.join(' ')
  if (VERB_ENDINGS.some((ending) => restSpaced.startsWith(ending))) return NO
  if (AFTER_NAMES.some((part) => rest.startsWith(part))) return VALUES
  const start = before.join('')
  if (BEFORE_VERBS.has(start.slice(-1)) || (start === '' && !/[\u3040-\u30ff]/.test(rest))) return NO
  if (rest === '' || DEFINITIONS.test(before.join(' '))) return VALUES_OF_TASK
  return VALUES
}

/** The values of a prompt in the gaps of a pattern, each as one text; null when it does not match. */
export function matchSlots(pattern: SlotPattern, { lines, hashes }: TokenLines): readonly string[] | null {
  if (pattern.length !== lines.length) return null
  if (pattern.some((part, index) => typeof part === 'number' && part !== hashes[index])) return null
  const values: string[] = []
  for (const [index, part] of pattern.entries()) {
    if (typeof part === 'number') continue
    const found = matchLine(part, lines[index] ?? [])
    if (found === null) return null
    values.push(...found)
  }
  return values
}

function matchLine(anchors: SlotLine, line: TokenLine): readonly string[] | null {
  const [first] = anchors
  if (first === undefined || anchors.length > MAX_GAPS + 1 || !holds(line, 0, first)) return null
  return matchRest(anchors.slice(1), line, first.size)
}

/** The values of a line from `from` on, the first of which begins there; null when it does not match. */
function matchRest([anchor, ...rest]: SlotLine, line: TokenLine, from: number): readonly string[] | null {
  if (anchor === undefined) return []
  const last = line.length - anchor.size
  for (let at = rest.length === 0 ? Math.max(last, from + 1) : from + 1; at <= last; at += 1) {
    if (!isValue(line, { from, to: at })) {
      if (at - from > MAX_CHARACTERS) return null
      continue
    }
    if (!holds(line, at, anchor)) continue
    const values = matchRest(rest, line, at + anchor.size)
    if (values !== null) return [line.slice(from, at).join(' '), ...values]
  }
  return null
}

function isValue(line: TokenLine, gap: Gap): boolean {
  const max = line.some(isCharacterToken) ? MAX_CHARACTERS : MAX_WORDS
  return gap.to - gap.from <= max && isGap(line, gap)
}

function holds(line: TokenLine, from: number, { size, hash }: Anchor): boolean {
  return hashTokens(line.slice(from, from + size)) === hash
}
