import {
  ANSWER_VERBS,
  GERMAN_NAME_CUES,
  PROPER_TASKS,
  REPLY_NOUNS,
  STARTERS,
  TASK_NOUNS,
  TIER_NOUNS,
  TIERS,
} from './lexicon.ts'
import { MASK, type Word } from './prompt-piece.ts'
import type { CoreUnit } from './select-core.ts'

/**
 * In prompts with fewer words, a name after "a" or "an" ("a Looker expert") belongs to the task; in longer ones it may
 * vary.
 */
const SHORT_PROMPT = 15

/** Decides whether the word at `index` of a unit is a variable part. */
export type NameTest = (words: readonly Word[], index: number) => boolean

/**
 * Finds names by their capitals: inside a sentence, and at its beginning when the same name occurs inside another one.
 */
export function findNames(core: readonly CoreUnit[], language: 'english' | 'german' | 'other'): NameTest {
  const units = core.flatMap((unit) => (unit.kind === 'words' ? [unit.words] : []))
  const short = units.reduce((sum, words) => sum + words.length, 0) < SHORT_PROMPT
  const inside = language === 'german' ? isGermanName : isInnerName(short)
  const names = new Set<string>()
  for (const words of units) {
    words.forEach((word, index) => {
      if (inside(words, index)) names.add(bare(word.text))
    })
  }
  return (words, index) => {
    const word = words[index]
    if (word === undefined) return false
    if (word.text === MASK || inside(words, index) || isTier(words, index)) return true
    if (index > 0 || !mayName(word)) return false
    return names.has(bare(word.text)) || (language !== 'german' && words.length > 2 && mayName(words[1]))
  }
}

function isInnerName(short: boolean): NameTest {
  return (words, index) => {
    const before = words[index - 1]?.text
    if (before === undefined || !mayName(words[index])) return false
    return !(short && (before === 'a' || before === 'an'))
  }
}

/** Every German noun has a capital, but two in a row are a name. */
function isGermanName(words: readonly Word[], index: number): boolean {
  if (index === 0 || !mayName(words[index])) return false
  const before = words[index - 1]
  if (before !== undefined && GERMAN_NAME_CUES.has(before.text)) return true
  return (index > 1 && mayName(before)) || mayName(words[index + 1])
}

function isTier(words: readonly Word[], index: number): boolean {
  return TIERS.has(words[index]?.text ?? '') && TIER_NOUNS.has(words[index + 1]?.text ?? '')
}

/** True for a word with a capital that belongs to no task: `French` in `Answer in French`. */
export function mayName(word: Word | undefined): boolean {
  if (word?.capital !== true) return false
  const { text } = word
  const known = PROPER_TASKS.has(text) || STARTERS.has(text) || ANSWER_VERBS.has(text)
  return !known && !TASK_NOUNS.has(text) && !REPLY_NOUNS.has(text)
}

function bare(text: string): string {
  return text.replace(/['’]s$/, '')
}
