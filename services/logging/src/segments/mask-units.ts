import { commands } from './commands.ts'
import {
  ADDRESS,
  ANSWER_VERBS,
  DETERMINERS,
  ENGLISH,
  GERMAN,
  MOMENTS,
  NOW,
  OTHER_LANGUAGES,
  PROFILE_NOUNS,
  PROFILE_VERBS,
  REPLY_NOUNS,
  STARTERS,
} from './lexicon.ts'
import { findNames } from './mask-names.ts'
import { MASK, type Word } from './prompt-piece.ts'
import type { CoreUnit } from './select-core.ts'

export type MaskedUnit = CoreUnit & {
  /** The words with every variable part as one `*`. */
  readonly skeleton: string
  /** The words that stay the same, null for each variable part. */
  readonly stable: readonly (Word | null)[]
}

/** So many statements in a row without an instruction are inserted text. */
const PROSE_RUN = 4

/** Masks names, and leaves out statements about persons and inserted prose. */
export function maskUnits(core: readonly CoreUnit[]): MaskedUnit[] {
  const language = languageOf(core.flatMap((unit) => (unit.kind === 'words' ? unit.words : [])))
  const isName = findNames(core, language)
  const masked = core
    .filter((unit) => unit.kind === 'mark' || !isMoment(unit.words))
    .map((unit): MaskedUnit => {
      if (unit.kind === 'mark') return { ...unit, skeleton: unit.text, stable: [] }
      const stable = maskWords(unit.words.map((word, index) => (isName(unit.words, index) ? null : word)))
      return { ...unit, stable, skeleton: stable.map((word) => word?.text ?? MASK).join(' ') }
    })
  if (language !== 'english') return masked
  const asking = withoutStatements(masked)
  return asking.some(({ kind }) => kind === 'words') ? asking : masked
}

/** `Today is Tuesday, 3 March 2026, 9:30 AM`: how it is written differs between requests. */
export function isMoment(words: readonly Word[]): boolean {
  return words.some(({ text }) => NOW.has(text)) && words.every(({ text }) => text === MASK || MOMENTS.has(text))
}

/** Words between the last two names of a list, or the parts of one. */
const AND: ReadonlySet<string> = new Set(['and', 'und', 'et', 'y', 'e', 'en', 'i', 'oraz', 'och', 'og', 've', 'и'])

/** Reduces `* and *` and `* *` to one variable part, because lists of names differ in length. */
function maskWords(words: readonly (Word | null)[]): (Word | null)[] {
  const stable: (Word | null)[] = []
  for (const word of words) {
    if (word === null && AND.has(stable.at(-1)?.text ?? '') && stable.at(-2) === null) stable.pop()
    else if (word !== null || stable.at(-1) !== null) stable.push(word)
  }
  return stable
}

function withoutStatements(units: readonly MaskedUnit[]): MaskedUnit[] {
  const rest: MaskedUnit[] = []
  let run: MaskedUnit[] = []
  const endRun = () => {
    if (run.length < PROSE_RUN) rest.push(...run.filter((unit) => !isProfileStatement(unit)))
    run = []
  }
  for (const unit of units) {
    if (isStatement(unit)) run.push(unit)
    else {
      endRun()
      rest.push(unit)
    }
  }
  endRun()
  return rest
}

function isStatement(unit: MaskedUnit): boolean {
  if (unit.kind === 'mark' || unit.heading) return false
  const first = unit.words[0]?.text ?? ''
  if (STARTERS.has(first) || ANSWER_VERBS.has(first) || commands(unit)) return false
  return !unit.words.some(({ text }) => ADDRESS.has(text) || REPLY_NOUNS.has(text))
}

function isProfileStatement(unit: MaskedUnit): boolean {
  if (unit.kind === 'mark') return false
  const [first, second] = unit.words
  if (first?.capital === true && !DETERMINERS.has(first.text) && PROFILE_VERBS.has(second?.text ?? '')) return true
  return unit.stable.includes(null) || unit.words.some(({ text }) => PROFILE_NOUNS.has(text))
}

/** The language of a prompt, by its most frequent words. */
export function languageOf(words: readonly Word[]): 'english' | 'german' | 'other' {
  let english = 0
  let german = 0
  let other = 0
  for (const { text } of words) {
    if (ENGLISH.has(text)) english += 1
    if (GERMAN.has(text)) german += 1
    if (OTHER_LANGUAGES.has(text)) other += 1
  }
  if (other > Math.max(english, german)) return 'other'
  if (german > english) return 'german'
  return english >= 2 ? 'english' : 'other'
}
