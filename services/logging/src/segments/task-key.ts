import { hash } from 'node:crypto'
import { REPLY_NOUNS, TASK_NOUNS } from './lexicon.ts'
import { languageOf, type MaskedUnit, maskUnits } from './mask-units.ts'
import { MASK, type Piece, type Word } from './prompt-piece.ts'
import type { CoreUnit } from './select-core.ts'
import { taskCore } from './task-core.ts'
import { LANGUAGES, LEGAL_FORMS, TRANSLATING } from './task-lexicon.ts'

/** Fewer units or words of instructions are too little to tell applications apart. */
const MIN_UNITS = 2
const MIN_WORDS = 8
/** Cyrillic, Arabic and Hangul: languages without separate articles, most of which say as much in fewer words. */
const DENSE_SCRIPTS = /[\u0400-\u04ff\u0600-\u06ff\uac00-\ud7af]/
const DENSE_SHARE = 0.6
const JAPANESE_NAME =
  /(?<![\u4e00-\u9fff] )(?:[\u4e00-\u9fff] ){1,3}[\u4e00-\u9fff](?= (?:様|さ ん|氏|君|先 生)(?: |$))/g
const KOREAN_NAME = /(?<!\S)[\uac00-\ud7af]{2,4}((?:님|씨)[\uac00-\ud7af]{0,3})(?!\S)/g

export interface InstructionKeyOptions {
  /** Words of a single unit that suffice. Without it there must be two units. */
  readonly wordsOfOne?: number
  /** Kind of the key. Keys of two kinds are never equal. */
  readonly prefix?: string
}

/** Equal for prompts with the same instructions, whatever is inserted; null when they are too few to tell. */
export function instructionKey(
  pieces: readonly Piece[],
  text: string,
  options: InstructionKeyOptions = {},
): string | null {
  const core = taskCore(pieces, text)
  return core === null ? null : coreKey(core, options)
}

/**
 * The key of a prompt with one word for the owner (`der Bot von Acme`) as it is with a name of two words there, which is
 * known to be a name also in German; null without such a word.
 */
export function ownerKey(pieces: readonly Piece[], text: string): string | null {
  if (!text.includes(' von ')) return null
  const core = taskCore(pieces, text) ?? []
  let owners = 0
  const named = core.map((unit): CoreUnit => {
    if (unit.kind === 'mark') return unit
    const words = unit.words.map((word, index) => (isOwner(unit.words, index) ? { ...word, text: MASK } : word))
    owners += words.filter((word, index) => word !== unit.words[index]).length
    return { ...unit, words }
  })
  return owners === 0 ? null : coreKey(named)
}

/** Plurals after `von` end in n or s. */
function isOwner(words: readonly Word[], index: number): boolean {
  const word = words[index]
  const isAlone = words[index + 1]?.capital !== true
  return words[index - 1]?.text === 'von' && word?.capital === true && isAlone && !/[ns]$/.test(word.text)
}

/** The key of all units. */
export function wholeKey(pieces: readonly Piece[], options: InstructionKeyOptions): string | null {
  const core = pieces.flatMap((piece): CoreUnit[] =>
    piece.kind === 'unit' ? [{ kind: 'words', words: piece.words, heading: true, doubtful: false }] : [],
  )
  return coreKey(core, options)
}

function coreKey(
  core: readonly CoreUnit[],
  { wordsOfOne = Number.POSITIVE_INFINITY, prefix = '' }: InstructionKeyOptions = {},
): string | null {
  const lines = coreLines(core)
  return isEnough(lines, wordsOfOne) ? hash('sha256', prefix + lines.join('\n'), 'hex').slice(0, 16) : null
}

/** True when instructions are enough to tell applications apart. */
export function isEnough(lines: readonly string[], wordsOfOne = Number.POSITIVE_INFINITY): boolean {
  const words = lines.flatMap((line) => line.split(' ')).filter((word) => word !== MASK)
  const needed = lines.length < MIN_UNITS ? wordsOfOne : MIN_WORDS
  return words.length >= (words.some((word) => DENSE_SCRIPTS.test(word)) ? needed * DENSE_SHARE : needed)
}

/** The units of instructions, each once, as words with one `*` for each variable part. */
export function coreLines(core: readonly CoreUnit[]): readonly string[] {
  return [
    ...new Set(maskUnits(core).map((unit) => withoutAddressees(withoutForms(withoutLanguages(wholeNames(unit)))))),
  ]
}

/** `Granite Tools`: a noun of tasks with a capital after a name belongs to it. German nouns always have capitals. */
function wholeNames(unit: MaskedUnit): MaskedUnit {
  if (unit.kind === 'mark' || languageOf(unit.words) === 'german') return unit
  const stable = unit.stable.filter((word, index) => {
    const isAfterName = index > 0 && unit.stable[index - 1] === null && word?.capital === true
    return !(isAfterName && (TASK_NOUNS.has(word.text) || REPLY_NOUNS.has(word.text)))
  })
  return { ...unit, stable, skeleton: stable.map((word) => word?.text ?? MASK).join(' ') }
}

/** Masks names before a form of address in Japanese and Korean, which have no capitals: `加藤様`, `홍길순님의`. */
function withoutAddressees(line: string): string {
  return line.replace(JAPANESE_NAME, MASK).replace(KOREAN_NAME, `${MASK}$1`)
}

function withoutForms(skeleton: string): string {
  const words = skeleton.split(' ')
  return words.filter((word, index) => words[index - 1] !== MASK || !LEGAL_FORMS.has(word)).join(' ')
}

function withoutLanguages(unit: MaskedUnit): string {
  if (unit.kind === 'mark') return unit.skeleton
  return maskLanguages(unit.skeleton.split(' ')).join(' ')
}

/** The words of a sentence without names of languages, if it is about translating or names two. */
export function maskLanguages(words: readonly string[]): readonly string[] {
  const languages = words.filter((word) => LANGUAGES.has(word)).length
  const isPair = languages > 1 || (languages === 1 && words.some((word) => TRANSLATING.test(word)))
  return isPair ? words.map((word) => (LANGUAGES.has(word) ? MASK : word)) : words
}
