import { classifyHeading } from './classify-heading.ts'
import { commands, mayCommand } from './commands.ts'
import {
  ADVERBIALS,
  AUXILIARIES,
  DEICTICS,
  DEICTICS_CJK,
  INSTRUCTION_NOUNS,
  NOT_POINTED,
  OF,
  REPLIES,
  SECOND_PERSON,
  SECOND_PERSON_CJK,
  STATEMENT_ENDS_CJK,
  SUBJECTS,
} from './function-words.ts'
import { DATA_NOUNS, STARTERS, TASK_NOUNS } from './lexicon.ts'
import { languageOf } from './mask-units.ts'
import { MASK, type Piece, type Unit, type Word } from './prompt-piece.ts'

/** Consecutive units that may be an inserted text, because none of them is an instruction. */
export interface TextRun {
  /** Index range of its pieces. */
  readonly from: number
  readonly to: number
}

/** The runs of units without an instruction, each as long as possible, in order. */
export function textRuns(pieces: readonly Piece[], text: string): readonly TextRun[] {
  const runs: TextRun[] = []
  let from = 0
  while (from < pieces.length) {
    let to = from
    for (let piece = pieces[to]; piece !== undefined && mayBeText(piece, text); piece = pieces[to]) to += 1
    if (to > from) runs.push({ from, to })
    from = to + 1
  }
  return runs
}

/** `J'ai`, `L'appel`; an instruction begins with `N'`. */
const ELIDED = /^(?:[jlcds]|qu)['’]/

/** Of so many units one at least is certainly a statement, in a text. */
const UNITS_PER_STATEMENT = 3

/** True when so many units of a run are statements that it is hardly an instruction. */
export function isText({ from, to }: TextRun, pieces: readonly Piece[], text: string): boolean {
  const statements = pieces.slice(from, to).filter((piece) => isData(piece, text)).length
  return statements > 0 && statements * UNITS_PER_STATEMENT >= to - from
}

/** A run without what may be instructions at its ends. */
export function withoutInstructions(run: TextRun, pieces: readonly Piece[], text: string): TextRun {
  const states = (at: number) => isData(pieces[at], text)
  let { from, to } = run
  while (from < to && !states(from)) from += 1
  while (from < to && !states(to - 1)) to -= 1
  return { from, to }
}

/** True when a unit refers to a text that stands elsewhere in the prompt: `the review below`. */
export function pointsToText(piece: Piece): boolean {
  if (piece.kind !== 'unit') return false
  if (piece.words.some((_, index) => isPointer(piece.words, index))) {
    return !piece.words.some(({ text }) => INSTRUCTION_NOUNS.has(text))
  }
  if (!isIdeographic(piece)) return false
  const text = joined(piece)
  return DEICTICS_CJK.some((part) => text.includes(part))
}

/** `the review below`, `the following review`; not `the following:`, `below 90 words`. */
function isPointer(words: readonly Word[], index: number): boolean {
  if (!DEICTICS.has(words[index]?.text ?? '')) return false
  const [before, after] = [words[index - 1]?.text, words[index + 1]?.text]
  if (after !== undefined) return after !== MASK && !NOT_POINTED.has(after)
  return before !== undefined && !SUBJECTS.has(before)
}

/** True for a heading that announces a value or a text: `Notes:`, `Context retrieved for the lamp:`. */
export function announcesText(piece: Piece | undefined): boolean {
  if (piece?.kind !== 'unit' || !piece.colon) return false
  const heading = classifyHeading(piece)
  return heading === 'slot' || heading === 'data' || isTextOf(piece)
}

/** `Context retrieved for …:` */
export function isTextOf({ words, colon }: Unit): boolean {
  const named = DATA_NOUNS.has(words[0]?.text ?? '') && !INSTRUCTION_NOUNS.has(words[0]?.text ?? '')
  return colon && named && words.slice(1, 3).some(({ text }) => OF.has(text))
}

/** True for a sentence that certainly states or asks something, and tells nobody to do anything. */
export function isStatement(unit: Unit, text: string): boolean {
  if (isQuestion(unit, text)) return true
  const [first] = unit.words
  if (first === undefined || commands(unit)) return false
  if (KOREAN_STATEMENT.test(unit.words.at(-1)?.text ?? '')) return true
  if (isIdeographic(unit)) return STATEMENT_ENDS_CJK.some((end) => joined(unit).endsWith(end))
  if (ADVERBIALS.has(first.text) && !mayCommand({ words: unit.words.slice(1) })) return true
  if (SUBJECTS.has(first.text) || ELIDED.test(first.text) || /[a-z](?<![su])s$/.test(first.text)) return true
  return unit.words.some(
    ({ text: word }, index) => index > 0 && index < 8 && (AUXILIARIES.has(word) || isPast(word, index)),
  )
}

/** `Music played`, `Kurier nie zadzwonił`, `El pedido llegó`: the past tense after a subject of one word or two. */
function isPast(word: string, index: number): boolean {
  return (
    (index === 1 && /[a-z]{3}ed$/.test(word)) ||
    (index <= 2 && /\p{L}{2}(?:ł[aoy]?|ó|л[аои]?|л[аои]?с[ья])$/u.test(word))
  )
}

/** The end of a statement in Korean. */
const KOREAN_STATEMENT = /(?:요|다|죠)$/

/** True when a unit addresses the model in the second person. */
export function addressesModel(unit: Pick<Unit, 'words'>): boolean {
  if (unit.words.some(({ text }) => SECOND_PERSON.has(text)) || isGermanDu(unit)) return true
  if (!isIdeographic(unit)) return false
  const text = joined(unit)
  return SECOND_PERSON_CJK.some((part) => text.includes(part))
}

/** `du hilfst`, but not the French `du`. */
function isGermanDu({ words }: Pick<Unit, 'words'>): boolean {
  return words.some(({ text }) => text === 'du') && words.some(({ text }) => text.endsWith('st'))
}

function mayBeText(piece: Piece, text: string): boolean {
  if (piece.kind !== 'unit' || piece.lead === 'heading' || piece.lead === 'bracket') return false
  if (piece.colon) return isSpeaker(piece)
  if (isQuestion(piece, text)) return true
  if (commands(piece)) return false
  return !addressesModel(piece) && !isAboutAnswer(piece)
}

/** `Yara Haddad:` in a transcript. */
function isSpeaker({ words }: Unit): boolean {
  const isName = ({ text, capital }: Word) =>
    capital && ![DATA_NOUNS, TASK_NOUNS, INSTRUCTION_NOUNS, REPLIES, STARTERS].some((others) => others.has(text))
  return (words.length === 2 || words.length === 3) && words.every(isName)
}

/** A statement, or a unit that varies because of a name, a number or an identifier in it. */
export function isData(piece: Piece | undefined, text: string): boolean {
  if (piece?.kind !== 'unit') return false
  if (isStatement(piece, text) || piece.words.some((word) => word.text === MASK || word.text.includes('_'))) return true
  return piece.words.some(({ capital }, index) => index > 0 && capital) && languageOf(piece.words) !== 'german'
}

/** True when a unit mentions the answer, or instructions. */
export function isAboutAnswer({ words }: Pick<Unit, 'words'>): boolean {
  return words.some(({ text }) => REPLIES.has(text) || INSTRUCTION_NOUNS.has(text))
}

function isQuestion({ words }: Unit, text: string): boolean {
  return '?？'.includes(text.charAt(words.at(-1)?.end ?? -1) || ' ')
}

function isIdeographic({ words }: Pick<Unit, 'words'>): boolean {
  return words.some(({ text }) => text.length === 1 && text.charCodeAt(0) >= 0x3040)
}

function joined({ words }: Pick<Unit, 'words'>): string {
  return words.map((word) => word.text).join('')
}
