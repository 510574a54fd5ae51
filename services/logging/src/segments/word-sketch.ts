import { hashText } from './hash-text.ts'
import { MASK } from './prompt-piece.ts'
import {
  FIXED_CHARACTERS,
  FIXED_WORDS,
  GENITIVES,
  LINKING_CHARACTERS,
  LINKING_WORDS,
  VALUE_ARTICLES,
} from './value-words.ts'

/**
 * A word of an instruction as it is stored: a mark, and a hash that tells words apart but not which word it is. The mark is `!`
 * for a word that is never a value, `.` for one that links others, `+` for a character of a language without spaces, and `-`
 * for any other word.
 */
export type WordToken = string

const HASHES = 36 ** 4

export function wordToken(word: string): WordToken {
  if (word === MASK) return MASK
  return markOf(word) + (hashText(word) % HASHES).toString(36)
}

export function isFixedToken(token: WordToken): boolean {
  return token.startsWith('!')
}

export function isLinkingToken(token: WordToken): boolean {
  return token.startsWith('.')
}

const articles = new Set([...VALUE_ARTICLES].map(wordToken))

export function isArticleToken(token: WordToken): boolean {
  return articles.has(token)
}

const genitives = new Set([...GENITIVES].map(wordToken))

/** `a change of address` */
export function isGenitiveToken(token: WordToken): boolean {
  return genitives.has(token)
}

export function isCharacterToken(token: WordToken): boolean {
  return token.startsWith('+')
}

function markOf(word: string): string {
  if (isFixed(word)) return '!'
  if (LINKING_WORDS.has(word) || LINKING_CHARACTERS.includes(word)) return '.'
  return isIdeograph(word) ? '+' : '-'
}

/** True for a character of Japanese or Chinese, which counts as a word. */
export function isIdeograph(word: string): boolean {
  const code = word.charCodeAt(0)
  return word.length === 1 && code >= 0x3040 && code <= 0x9fff
}

function isFixed(word: string): boolean {
  return FIXED_WORDS.has(word) || FIXED_CHARACTERS.includes(word)
}
