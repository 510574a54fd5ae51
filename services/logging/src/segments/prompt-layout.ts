import { commands } from './commands.ts'
import { hashText } from './hash-text.ts'
import { TASK_NOUNS, TASK_TAGS } from './lexicon.ts'
import { mayName } from './mask-names.ts'
import { isMoment, languageOf } from './mask-units.ts'
import { MASK, type Piece, type Unit, type Word } from './prompt-piece.ts'
import { quotedWords } from './quoted-words.ts'
import { jsonMark } from './select-core.ts'
import { maskLanguages } from './task-key.ts'
import { addressesModel, isAboutAnswer, isData } from './text-runs.ts'

/**
 * What a part of a line is. `task`: announces what to do (`Role:`). `heading`: a heading, or a short line
 * without an end mark. `order`: an instruction, or a sentence that may be one. `key`: announces something (`Name:`).
 * `value`: stands behind a key in its line, or fills a tag. `aside`: a statement in a line that begins with an order. `data`: any
 * other text. `mark`: a tag, a fence or a JSON value.
 */
export type PartKind = 'order' | 'task' | 'heading' | 'key' | 'value' | 'aside' | 'data' | 'mark'

/** A line of a prompt, or a sentence of one. */
export interface LayoutPart {
  /** Equal for parts that differ in names and numbers only. Its first letter is that of its kind, a capital in a list. */
  readonly token: string
  /** The words of an order, `*` for each that varies; empty for other parts, and for long ones. */
  readonly order: string
  /** Stable words. */
  readonly words: number
}

/** The parts that are kept of a long prompt, from its beginning and from its end. */
const FIRST_PARTS = 96
const LAST_PARTS = 48
/** Words of an order that is compared word by word. */
const COMPARED_WORDS = 40
/** Words of a line that is a heading at most. */
const HEADING_WORDS = 3
/** An instruction after a key has so many words at least; fewer are its value. */
const ORDER_WORDS = 3
/** What stands before an item of a list, and before a row of a table. */
const BULLET = /^(?:[-*–•+>・] |\[\d{1,3}\] |\(?\d{1,3}[.)] |\|)/
const LONGEST_BULLET = 8
/** A line of marks only, such as `---`. */
const RULE = /[-=*_~#]{3,}/
/** What a text may follow. */
const OPENING: ReadonlySet<PartKind> = new Set(['heading', 'key', 'mark'])
const END_MARKS = '.!?。！？'
const LETTERS: Readonly<Record<PartKind, string>> = {
  order: 'o',
  task: 't',
  heading: 'h',
  key: 'k',
  value: 'v',
  aside: 'a',
  data: 'd',
  mark: 'm',
}
const KINDS = new Map(Object.entries(LETTERS).map(([kind, letter]) => [letter, kind as PartKind]))
const HASHES = 36 ** 5

export function partKind(token: string): PartKind {
  return KINDS.get(token.charAt(0).toLowerCase()) ?? 'data'
}

/** True for a part of a list. */
export function isItem(token: string): boolean {
  return /^[A-Z]/.test(token)
}

/**
 * The parts of a prompt in their order, each once: examples and rows repeat their keys for every item.
 *
 * @param pieces of the prompt without its line breaks
 * @param lined the prompt with them; both have the same length
 */
export function promptLayout(pieces: readonly Piece[], lined: string): readonly LayoutPart[] {
  const language = languageOf(pieces.flatMap((piece) => (piece.kind === 'unit' ? piece.words : [])))
  const parts: LayoutPart[] = []
  const seen = new Set<string>()
  const add = (part: LayoutPart) => {
    if (seen.has(part.token)) return
    seen.add(part.token)
    parts.push(part)
  }
  let before: Piece | null = null
  let unitBefore: Unit | null = null
  let lineOrders = false
  let isText = false
  let isBelowKey = false
  let rules = 0
  let end = 0
  for (const piece of pieces.flatMap((each) => splitAtLines(each, lined))) {
    if (piece.kind === 'unit') {
      const [first] = piece.words
      const startsLine = before === null || first === undefined || lined.slice(end, first.start).includes('\n')
      const follows = startsLine ? null : before
      if (first !== undefined && RULE.test(lined.slice(end, first.start))) {
        rules += 1
        add({ token: `m${shortHash(`rule ${rules}`)}`, order: '', words: 0 })
        isText = true
        isBelowKey = false
      }
      const isOrdered = lineOrders && !startsLine
      const isInText = isText && (!startsLine || isBelowKey)
      const part = partOf(piece, { language, follows, startsLine, isOrdered, isText: isInText, text: lined })
      const kind = partKind(part.token)
      if (startsLine) {
        lineOrders = kind === 'order'
        isText = OPENING.has(kind) || (isText && kind === 'data')
      }
      isBelowKey = startsLine && kind === 'key'
      if (part.words > 0 && !isMoment(piece.words)) add(part)
      end = piece.words.at(-1)?.end ?? end
    } else {
      add({ token: `m${shortHash(markOf(piece, unitBefore))}`, order: '', words: 0 })
      end = Math.max(end, before?.kind === 'unit' ? end : 0)
    }
    before = piece
    if (piece.kind === 'unit') unitBefore = piece
  }
  return parts.length <= FIRST_PARTS + LAST_PARTS
    ? parts
    : [...parts.slice(0, FIRST_PARTS), ...parts.slice(-LAST_PARTS)]
}

/** A sentence that goes on in the next line is one of two parts: lines without an end mark are items, or headings. */
function splitAtLines(piece: Piece, lined: string): readonly Piece[] {
  if (piece.kind !== 'unit') return [piece]
  const parts: Unit[] = []
  let from = 0
  const { words } = piece
  for (const [index, word] of words.entries()) {
    const next = words[index + 1]
    if (next !== undefined && !lined.slice(word.end, next.start).includes('\n')) continue
    parts.push({
      ...piece,
      words: words.slice(from, index + 1),
      colon: piece.colon && next === undefined,
      lead: from === 0 ? piece.lead : 'none',
    })
    from = index + 1
  }
  return parts
}

interface Place {
  readonly language: ReturnType<typeof languageOf>
  /** The piece before it in the same line. */
  readonly follows: Piece | null
  readonly startsLine: boolean
  /** Its line begins with an order. */
  readonly isOrdered: boolean
  /** Its line is one of a text below a heading. */
  readonly isText: boolean
  readonly text: string
}

function partOf(unit: Unit, place: Place): LayoutPart {
  const kind = kindOf(unit, place)
  const quoted = unit.colon ? quotedWords(unit.words, place.text) : new Set<Word>()
  const masked = maskLanguages(
    unit.words.map((word, index) => (quoted.has(word) || isVariable(word, index, place.language) ? MASK : word.text)),
  )
  const stable = masked.filter((word, index) => word !== MASK || masked[index - 1] !== MASK)
  const words = stable.filter((word) => word !== MASK)
  const shape = `${place.startsLine ? '^' : ''}${unit.lead}${unit.colon ? ':' : ''}`
  return {
    token: letterOf(kind, unit, place) + shortHash(`${shape} ${stable.join(' ')}`),
    order: kind === 'order' && stable.length <= COMPARED_WORDS ? stable.join(' ') : '',
    words: words.length,
  }
}

function letterOf(kind: PartKind, { words }: Unit, { text }: Place): string {
  const start = words[0]?.start ?? 0
  const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1
  const line = text.slice(from, from + LONGEST_BULLET)
  return BULLET.test(line) ? LETTERS[kind].toUpperCase() : LETTERS[kind]
}

function kindOf(unit: Unit, { language, follows, startsLine, isOrdered, isText, text }: Place): PartKind {
  const orders = commands(unit) || addressesModel(unit) || isAboutAnswer(unit)
  if (unit.colon) {
    if (orders && unit.words.length > ORDER_WORDS) return 'order'
    return isTaskKey(unit) ? 'task' : 'key'
  }
  if (unit.lead === 'heading' || unit.lead === 'bracket') return isTaskKey(unit) ? 'task' : 'heading'
  if (isFilled(follows) && !(orders && unit.words.length >= ORDER_WORDS)) return 'value'
  const isLine =
    startsLine && /^\W*(?:\n|$)/.test(restOfLine(unit, text)) && !END_MARKS.includes(restOfLine(unit, text).charAt(0))
  if (isLine && unit.words.length <= (commands(unit) ? 1 : HEADING_WORDS)) return 'heading'
  // A line of a word or two without an end mark is an item.
  if (isText) return 'data'
  if (orders) return isLine && unit.words.length < ORDER_WORDS ? 'data' : 'order'
  if (language !== 'english' && !isData(unit, text)) return 'order'
  return isOrdered ? 'aside' : 'data'
}

/** The characters behind a unit. */
function restOfLine({ words }: Unit, text: string): string {
  const end = words.at(-1)?.end ?? 0
  return text.slice(end, end + LONGEST_BULLET) || '\n'
}

/** Behind a key, or in a tag. */
function isFilled(follows: Piece | null): boolean {
  if (follows?.kind === 'unit') return follows.colon
  return follows?.kind === 'open' && !TASK_TAGS.has(follows.tag)
}

function isTaskKey({ words }: Unit): boolean {
  return words.some(({ text }) => TASK_NOUNS.has(text))
}

/** Every German noun has a capital. */
function isVariable(word: Word, index: number, language: Place['language']): boolean {
  return word.text === MASK || (index > 0 && language !== 'german' && mayName(word))
}

function markOf(piece: Exclude<Piece, Unit>, before: Unit | null): string {
  if (piece.kind === 'json') return jsonMark(piece, before)
  return `${piece.kind} ${piece.tag}`
}

function shortHash(text: string): string {
  return (hashText(text) % HASHES).toString(36)
}
