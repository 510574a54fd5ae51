import { classifyHeading } from './classify-heading.ts'
import { commands, isDefinition } from './commands.ts'
import {
  ADDRESS,
  ANSWER_VERBS,
  CLOSING_HEADINGS,
  DATA_NOUNS,
  POINTERS,
  REPLY_NOUNS,
  REPLY_SHAPE,
  TASK_NOUNS,
  TASK_TAGS,
} from './lexicon.ts'
import { languageOf } from './mask-units.ts'
import { MASK, type Piece, type Unit, type Word } from './prompt-piece.ts'
import { type CoreUnit, isTool } from './select-core.ts'
import {
  CHOICE_NOUNS,
  IMPERATIVES,
  MAIL,
  OFFERED_NOUNS,
  SUBJECT_LINES,
  TEXT_NOUNS,
  TEXT_NOUNS_CJK,
} from './task-lexicon.ts'
import { addressesModel, isStatement, isTextOf } from './text-runs.ts'

/** `text`: prose follows, which may instruct its reader. `list`: values or items follow, until instructions come. */
type Region = { readonly kind: 'text' | 'list' } | { readonly kind: 'tag'; readonly tag: string }

/** Units after an instruction inside a region that are checked for further instructions. */
const LOOK_AHEAD = 6
/** So many statements in a row are prose. */
const PROSE_RUN = 3
/** Words of a heading at most, and of an item of a list before it at least. */
const MAX_HEADING_WORDS = 4
const MIN_ITEM = 3
/** Characters of a heading in languages without spaces. */
const MAX_HEADING = 10
/** Characters before an item of a list. */
const BULLETS = '-*–•・'

/**
 * Selects the instructions of a prompt. It leaves out more than `selectCore`: everything that follows a heading which does
 * not announce instructions, and statements with names, numbers or identifiers in them.
 *
 * @param text the text of the pieces
 * @returns null when instructions may be missing
 */
export function taskCore(read: readonly Piece[], text: string): CoreUnit[] | null {
  const core: CoreUnit[] = []
  const isEnglish = languageOf(read.flatMap((piece) => (piece.kind === 'unit' ? piece.words : []))) === 'english'
  const whole = read.flatMap(splitAtHeading)
  const pieces = isEnglish ? whole : whole.flatMap(splitAtInstruction)
  let region: Region | null = null
  let skipped = 0
  let statements = 0
  let before: Unit | null = null
  const open = (next: Region) => {
    region = next
    skipped = 0
    statements = 0
  }
  const keep = (words: readonly Word[]) => {
    if (words.some((word) => word.text !== MASK)) core.push({ kind: 'words', words, heading: true, doubtful: false })
  }
  const takeUnit = (unit: Unit, index: number) => {
    if (isSubject(unit, text)) {
      open({ kind: 'text' })
      return
    }
    if (region !== null) {
      skipped += 1
      if (!endsRegion({ region, skipped, isItem: isItem(unit, text) || isCall(unit, text) }, pieces, index)) {
        if (region.kind === 'list' && !isValue(pieces, index) && !isVariable(unit, text)) keep(unit.words)
        return
      }
      region = null
    }
    const opened = regionOf(unit)
    if (isCall(unit, text)) open({ kind: 'list' })
    else if (isDefinition(unit)) open({ kind: 'text' })
    else if (opened !== null) {
      keep(headingWords(unit))
      open({ kind: opened })
    } else if (isInstruction(unit) || unit.colon) {
      keep(isTextOf(unit) ? headingWords(unit) : unit.words)
      statements = 0
    } else if (isVariable(unit, text) || unit.lead === 'citation') open({ kind: 'list' })
    else {
      keep(unit.words)
      // In other languages it may be an instruction whose verb is unknown.
      if (isEnglish || isStatement(unit, text)) statements += 1
      if (statements >= PROSE_RUN) open({ kind: 'text' })
    }
  }
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'unit') {
      takeUnit(piece, index)
      before = piece
    } else if (piece.kind === 'open' && TASK_TAGS.has(piece.tag)) region = null
    else if (piece.kind === 'open' && region === null) open({ kind: 'tag', tag: piece.tag })
    else if (piece.kind === 'close' && isTag(region, piece.tag)) region = null
    else if (piece.kind === 'json' && !isTag(region)) {
      const shapesReply = piece.schema || before?.words.some((word) => REPLY_SHAPE.has(word.text)) === true
      if (shapesReply && !isTool(piece.keys)) core.push({ kind: 'mark', text: `{${piece.keys.join(' ')}}` })
    }
  }
  return mayContinue(region, pieces, text) ? null : core
}

/** A list whose items have no full stop continues with instructions in the same unit. English ones are split already. */
function splitAtInstruction(piece: Piece): readonly Piece[] {
  if (piece.kind !== 'unit') return [piece]
  const { words } = piece
  const at = words.findIndex(
    (word, index) => index > 0 && word.capital && (IMPERATIVES.has(word.text) || isPolite(words, index)),
  )
  if (at === -1) return [piece]
  return [
    { ...piece, words: words.slice(0, at), colon: false },
    { ...piece, words: words.slice(at), lead: 'none' },
  ]
}

/** `sign as Lars Dahl Notes of the customer:`: an item of a list without a full stop, and the heading after it. */
function splitAtHeading(piece: Piece): readonly Piece[] {
  if (piece.kind !== 'unit' || !piece.colon) return [piece]
  const { words } = piece
  const at = words.findLastIndex(({ capital }) => capital)
  const noun = words[at]?.text ?? ''
  if (at < MIN_ITEM || words.length - at > MAX_HEADING_WORDS) return [piece]
  if (!TEXT_NOUNS.has(noun) && !DATA_NOUNS.has(noun)) return [piece]
  return [
    { ...piece, words: words.slice(0, at), colon: false },
    { ...piece, words: words.slice(at), lead: 'none' },
  ]
}

/** `Fragen Sie` */
function isPolite(words: readonly Word[], index: number): boolean {
  return (
    words[index]?.text.endsWith('en') === true && words[index + 1]?.text === 'sie' && words[index + 1]?.capital === true
  )
}

const END_MARKS = '.!?。！？'

/**
 * True when an instruction that was not recognized may follow the last item of a list: it ends with a full stop, and the
 * items before it do not.
 */
function mayContinue(region: Region | null, pieces: readonly Piece[], text: string): boolean {
  if (region?.kind !== 'list' || !END_MARKS.includes(text.at(-1) ?? ' ')) return false
  const items = pieces.filter((piece) => piece.kind === 'unit' && isItem(piece, text))
  const endings = items.slice(1).map((item) => (item.kind === 'unit' ? endBefore(item, text) : ''))
  return items.length > 0 && !(endings.length > 0 && endings.every((end) => END_MARKS.includes(end)))
}

/** The character before an item's bullet, which ends the item before it. */
function endBefore({ words }: Unit, text: string): string {
  return text.charAt((words[0]?.start ?? 0) - 4)
}

/** The value of a `key: value`. */
function isValue(pieces: readonly Piece[], index: number): boolean {
  const before = pieces[index - 1]
  const unit = pieces[index]
  return (before?.kind === 'unit' && before.colon) || (unit?.kind === 'unit' && unit.colon)
}

function isTag(region: Region | null, tag?: string): boolean {
  return region?.kind === 'tag' && (tag === undefined || region.tag === tag)
}

function isItem({ words }: Unit, text: string): boolean {
  const start = words[0]?.start ?? 0
  return start > 1 && text[start - 1] === ' ' && BULLETS.includes(text.charAt(start - 2))
}

/** `Chapter 7: The bridge` and `# Schema Table …`: what follows the noun varies. */
function headingWords(unit: Unit): readonly Word[] {
  const { words } = unit
  if (isTextOf(unit)) return words.slice(0, 1)
  const noun = words.findIndex(({ text }) => TEXT_NOUNS.has(text))
  if (noun !== -1) return words.slice(0, noun + 1)
  const variable = words.findIndex(({ text }, at) => at > 0 && text === MASK)
  return variable === -1 ? words : words.slice(0, variable)
}

/** What follows a unit that ends in a colon or is a heading of Markdown; null when it is not inserted. */
function regionOf(unit: Unit): 'text' | 'list' | null {
  if (!unit.colon && unit.lead !== 'heading') return null
  const first = unit.lead === 'heading' ? unit.words.slice(0, 3) : unit.words
  if (first.length <= 4 && first.some(({ text }) => TEXT_NOUNS.has(text))) return 'text'
  if (unit.colon && endsInTextNoun(unit)) return 'text'
  const heading = classifyHeading(unit)
  if (!unit.colon) return heading === 'data' ? 'text' : null
  const last = unit.words.findLast(({ text }) => text !== MASK)?.text ?? ''
  if (OFFERED_NOUNS.has(last)) return 'list'
  if (CHOICE_NOUNS.has(last) || TASK_NOUNS.has(last)) return null
  if (heading === 'data') return 'text'
  if (heading === 'slot') return 'list'
  if (choosesAnswer(unit)) return heading === 'task' && unit.words.length === 2 ? 'list' : null
  return unit.words.some(({ text }) => POINTERS.has(text)) ? 'list' : null
}

/** The last header of a mail, whose text follows. */
function isSubject({ words, colon }: Unit, text: string): boolean {
  return colon && SUBJECT_LINES.has(words.at(-1)?.text ?? '') && MAIL.test(text)
}

/** `レビュー:` */
function endsInTextNoun({ words }: Unit): boolean {
  const text = words.map((word) => word.text).join('')
  return words.length <= MAX_HEADING && TEXT_NOUNS_CJK.some((noun) => text.endsWith(noun))
}

function choosesAnswer({ words }: Unit): boolean {
  return words.some(
    ({ text }) => CHOICE_NOUNS.has(text) || TASK_NOUNS.has(text) || /^(?:classif|categor|choose|label)/.test(text),
  )
}

interface Inside {
  readonly region: Region
  /** Units of the region until this one. */
  readonly skipped: number
  readonly isItem: boolean
}

/** Instructions end a list. Prose may contain single ones, so it ends with a heading, or where the answer is mentioned. */
function endsRegion({ region, skipped, isItem: isBullet }: Inside, pieces: readonly Piece[], index: number): boolean {
  const unit = pieces[index]
  if (unit?.kind !== 'unit' || region.kind === 'tag') return false
  if (unit.words.length <= 4 && unit.words.some(({ text }) => CLOSING_HEADINGS.has(text))) {
    const next = pieces[index + 1]
    const announces = next?.kind === 'unit' && !next.colon && commands(next)
    if (unit.lead === 'heading' || (unit.colon && announces)) return true
  }
  const last = unit.words.at(-1)?.text ?? ''
  if (region.kind === 'list' && unit.colon && (TASK_NOUNS.has(last) || CHOICE_NOUNS.has(last))) return true
  if (!commands(unit) || unit.colon || isBullet) return false
  if (!instructionsContinue(pieces, index)) return false
  if (unit.words.some(({ text }) => REPLY_NOUNS.has(text) || ANSWER_VERBS.has(text))) return true
  const next = pieces[index + 1]
  if (next?.kind === 'unit' && commands(next)) return true
  // One instruction alone may be part of the text, unless it is the end and mentions nothing that varies.
  if (next === undefined) return !unit.words.some(isVariableWord)
  return region.kind === 'list' && skipped <= PROSE_RUN
}

function instructionsContinue(pieces: readonly Piece[], from: number): boolean {
  let instructions = 0
  let units = 0
  for (const piece of pieces.slice(from, from + LOOK_AHEAD)) {
    if (piece.kind !== 'unit' || (units > 0 && (piece.colon || piece.lead !== 'none'))) break
    units += 1
    if (commands(piece) || (units > 1 && isInstruction(piece))) instructions += 1
  }
  return instructions * 2 > units
}

function isInstruction(unit: Unit): boolean {
  return commands(unit) || addressesModel(unit) || unit.words.some(({ text }) => ADDRESS.has(text))
}

/** `convert(amount, currency)`, although it begins like an instruction. */
function isCall({ words }: Unit, text: string): boolean {
  return text[words[0]?.end ?? text.length] === '('
}

/** A statement with a name, a number, an identifier, a quotation or a call of a function. */
function isVariable({ words }: Unit, text: string): boolean {
  if (words.some((word, index) => isVariableWord(word) || (index > 0 && word.capital))) return true
  return /["“`]|\w\(/.test(text.slice((words[0]?.start ?? 0) - 1, (words.at(-1)?.end ?? 0) + 1))
}

function isVariableWord({ text }: Word): boolean {
  return text === MASK || text.includes('_')
}
