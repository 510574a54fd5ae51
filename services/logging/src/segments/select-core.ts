import { classifyHeading, type Heading, headingWords, trailingKey } from './classify-heading.ts'
import { commands } from './commands.ts'
import { ADDRESS, ANSWER_VERBS, CLOSING_HEADINGS, REPLY_NOUNS, REPLY_SHAPE, STARTERS, TASK_TAGS } from './lexicon.ts'
import { MASK, type Piece, type Unit, type Word } from './prompt-piece.ts'

/** A unit of the task, or a mark in place of inserted data. */
export type CoreUnit =
  | {
      readonly kind: 'words'
      readonly words: readonly Word[]
      readonly heading: boolean
      /** It follows inserted text without an end mark, so it may be part of that text. */
      readonly doubtful: boolean
    }
  | { readonly kind: 'mark'; readonly text: string }

/** A region that a heading opened. It ends with the next instruction, not with a tag. */
const OPEN = ':'
/** Units after an instruction inside inserted text that are checked for further instructions. */
const LOOK_AHEAD = 6

/**
 * Selects the task of a prompt. Leaves out text under a heading or in a tag that announces data, and the values of
 * `key: value`.
 */
export function selectCore(pieces: readonly Piece[]): CoreUnit[] {
  const core: CoreUnit[] = []
  let region: string | null = null
  let slot = false
  let doubtful = false
  let before: Unit | null = null
  const mark = (text: string) => core.push({ kind: 'mark', text })
  const keep = (words: readonly Word[], heading: boolean) => {
    if (words.some(({ text }) => text !== MASK)) core.push({ kind: 'words', words, heading, doubtful })
  }
  const keepUnit = (unit: Unit, heading: Heading) => {
    if (heading === 'data') region = OPEN
    slot = heading === 'slot'
    keep(headingWords(unit), heading === 'data' || heading === 'slot')
  }
  const takeUnit = (unit: Unit, index: number) => {
    const heading = classifyHeading(unit)
    const closing = closesData(unit, heading)
    const instructs = closing || asksForAnswer(unit)
    if (region !== null) {
      if (!closing && !(instructs && instructionsContinue(pieces, index))) return
      if (region === OPEN) region = null
      doubtful = !closing
    }
    if (unit.lead === 'citation' && !instructs) region = OPEN
    else if (!slot || instructs || isOrder(unit)) keepUnit(unit, heading)
    else if (unit.colon) keep(trailingKey(unit), true)
    else slot = false
  }

  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'unit') {
      takeUnit(piece, index)
      before = piece
    } else if (piece.kind === 'open') {
      const task = TASK_TAGS.has(piece.tag)
      if (region !== null && !task) continue
      region = task ? null : piece.tag
      doubtful = false
      mark(`<${piece.tag}>`)
    } else if (piece.kind === 'close') {
      if (region === piece.tag) region = null
    } else if (region === null && !slot) {
      mark(piece.kind === 'json' ? jsonMark(piece, before) : `<${piece.tag}>`)
    }
  }
  return core
}

/** Schemas and examples of the reply belong to the task; other JSON is data. */
export function jsonMark(json: Extract<Piece, { kind: 'json' }>, before: Unit | null): string {
  if (isTool(json.keys)) return TOOLS
  const shapesReply = json.schema || before?.words.some(({ text }) => REPLY_SHAPE.has(text)) === true
  return shapesReply ? `{${json.keys.join(' ')}}` : '{}'
}

/** All definitions of tools: which of them a request offers depends on what its user may do. */
export const TOOLS = '{tools}'

/** True for the keys of a tool that a model may call. */
export function isTool(keys: readonly string[]): boolean {
  const has = (...names: readonly string[]) => names.some((name) => keys.includes(name))
  return has('parameters', 'input_schema', 'inputSchema') && has('name', 'function') && has('description')
}

/** True when a heading announces instructions, even inside inserted text. */
function closesData(unit: Unit, heading: Heading): boolean {
  if (heading !== 'task' && unit.lead !== 'heading') return false
  return unit.words.length <= 4 && unit.words.some(({ text }) => CLOSING_HEADINGS.has(text))
}

/** True when a sentence inside inserted text is about the answer. */
function asksForAnswer(unit: Unit): boolean {
  const first = unit.words[0]?.text ?? ''
  if (unit.words.length >= 3 && ANSWER_VERBS.has(first)) return true
  return STARTERS.has(first) && unit.words.some(({ text }) => REPLY_NOUNS.has(text))
}

/** `Manner: Leave out small talk.` is an instruction; `Customer: Mark Twain, since 1990` is a value. */
function isOrder(unit: Unit): boolean {
  const { words, colon } = unit
  return !colon && words.length >= 3 && words[1]?.capital !== true && commands(unit)
}

/** True when most units up to the next heading or mark are instructions too. A text contains only single ones. */
function instructionsContinue(pieces: readonly Piece[], from: number): boolean {
  let instructions = 0
  let units = 0
  for (const piece of pieces.slice(from, from + LOOK_AHEAD)) {
    if (piece.kind !== 'unit' || (units > 0 && (piece.colon || piece.lead !== 'none'))) break
    units += 1
    const first = piece.words[0]?.text ?? ''
    const isInstruction =
      STARTERS.has(first) || ANSWER_VERBS.has(first) || piece.words.some(({ text }) => ADDRESS.has(text))
    if (isInstruction) instructions += 1
  }
  return instructions * 2 > units
}
