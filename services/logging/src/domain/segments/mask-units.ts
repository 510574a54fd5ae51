import {
  ADDRESS,
  ANSWER_VERBS,
  ENGLISH,
  GERMAN,
  PROFILE_NOUNS,
  PROPER_TASKS,
  REPLY_NOUNS,
  STARTERS,
  TASK_NOUNS,
} from './lexicon.ts'
import { MASK, type Word } from './prompt-piece.ts'
import type { CoreUnit } from './select-core.ts'

export type MaskedUnit = CoreUnit & {
  /** The words with every variable part as one `*`. */
  readonly skeleton: string
}

/** Below this many words "a Looker expert" names a task; in longer prompts a product's name may vary. */
const SHORT_PROMPT = 15
/** So many statements in a row that ask for nothing are a text that was put in. */
const PROSE_RUN = 4

/** Masks names, and leaves out the statements that tell of somebody or something rather than ask. */
export function maskUnits(core: readonly CoreUnit[]): MaskedUnit[] {
  const words = core.flatMap((unit) => (unit.kind === 'words' ? unit.words : []))
  const language = languageOf(words)
  const isName = language === 'german' ? () => false : nameTest(core, words.length < SHORT_PROMPT)
  const masked = core.map((unit) => ({ ...unit, skeleton: skeletonOf(unit, isName) }))
  if (language !== 'english') return masked
  const asking = withoutStatements(masked)
  return asking.some(({ kind }) => kind === 'words') ? asking : masked
}

/** Whether the word at `index` of a unit is a name: capitalised though no sentence begins there, and no task. */
export type NameTest = (words: readonly Word[], index: number) => boolean

function nameTest(core: readonly CoreUnit[], short: boolean): NameTest {
  const inside: NameTest = (words, index) => {
    const word = words[index]
    if (word === undefined || !mayName(word)) return false
    const before = words[index - 1]?.text
    return before !== undefined && !(short && (before === 'a' || before === 'an'))
  }
  const names = new Set<string>()
  for (const unit of core) {
    if (unit.kind !== 'words') continue
    unit.words.forEach((word, index) => {
      if (inside(unit.words, index)) names.add(bare(word.text))
    })
  }
  return (words, index) => {
    if (index > 0) return inside(words, index)
    const word = words[0]
    if (word === undefined || !mayName(word)) return false
    return names.has(bare(word.text)) || (words.length > 2 && words[1] !== undefined && mayName(words[1]))
  }
}

function mayName(word: Word): boolean {
  const { text } = word
  return (
    word.capital &&
    !PROPER_TASKS.has(text) &&
    !STARTERS.has(text) &&
    !ANSWER_VERBS.has(text) &&
    !TASK_NOUNS.has(text) &&
    !REPLY_NOUNS.has(text)
  )
}

function bare(text: string): string {
  return text.replace(/['’]s$/, '')
}

function skeletonOf(unit: CoreUnit, isName: NameTest): string {
  if (unit.kind === 'mark') return unit.text
  const parts: string[] = []
  unit.words.forEach(({ text }, index) => {
    const part = text === MASK || isName(unit.words, index) ? MASK : text
    if (part === MASK && parts.at(-1) === 'and' && parts.at(-2) === MASK) parts.pop()
    else if (part !== MASK || parts.at(-1) !== MASK) parts.push(part)
  })
  return parts.join(' ')
}

function withoutStatements(units: readonly MaskedUnit[]): MaskedUnit[] {
  const kept: MaskedUnit[] = []
  let run: MaskedUnit[] = []
  const endRun = () => {
    if (run.length < PROSE_RUN) kept.push(...run.filter((unit) => !isAboutSomebody(unit)))
    run = []
  }
  for (const unit of units) {
    if (isStatement(unit)) run.push(unit)
    else {
      endRun()
      kept.push(unit)
    }
  }
  endRun()
  return kept
}

function isStatement(unit: MaskedUnit): boolean {
  if (unit.kind === 'mark' || unit.heading) return false
  const first = unit.words[0]?.text ?? ''
  if (STARTERS.has(first) || ANSWER_VERBS.has(first)) return false
  return !unit.words.some(({ text }) => ADDRESS.has(text) || REPLY_NOUNS.has(text))
}

function isAboutSomebody(unit: MaskedUnit): boolean {
  if (unit.kind === 'mark') return false
  return unit.skeleton.includes(MASK) || unit.words.some(({ text }) => PROFILE_NOUNS.has(text))
}

function languageOf(words: readonly Word[]): 'english' | 'german' | 'other' {
  let english = 0
  let german = 0
  for (const { text } of words) {
    if (ENGLISH.has(text)) english += 1
    if (GERMAN.has(text)) german += 1
  }
  if (german > english) return 'german'
  return english >= 2 ? 'english' : 'other'
}
