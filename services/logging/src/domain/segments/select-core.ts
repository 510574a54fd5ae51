import { classifyHeading, type Heading, headingWords, trailingKey } from './classify-heading.ts'
import { ANSWER_VERBS, CLOSING_HEADINGS, REPLY_NOUNS, STARTERS, TASK_TAGS } from './lexicon.ts'
import { MASK, type Piece, type Unit, type Word } from './prompt-piece.ts'

/** A unit of what the prompt asks for, or a mark where data stood. */
export type CoreUnit =
  | { readonly kind: 'words'; readonly words: readonly Word[]; readonly heading: boolean }
  | { readonly kind: 'mark'; readonly text: string }

/** A JSON value longer than this is data, unless it is a schema. */
const LONGEST_EXAMPLE = 600

/** Leaves out what was inserted: text under a heading or in a tag that announces data, and the values of `key: value`. */
export function selectCore(pieces: readonly Piece[]): CoreUnit[] {
  const core: CoreUnit[] = []
  let region: string | null = null
  let slot = false
  const mark = (text: string) => core.push({ kind: 'mark', text })
  const keep = (words: readonly Word[], heading: boolean) => {
    if (words.some(({ text }) => text !== MASK)) core.push({ kind: 'words', words, heading })
  }
  const keepUnit = (unit: Unit, heading: Heading) => {
    if (heading === 'data') region = OPEN
    slot = heading === 'slot'
    keep(headingWords(unit), heading === 'data' || heading === 'slot')
  }

  for (const piece of pieces) {
    if (piece.kind === 'open') {
      if (region === null || TASK_TAGS.has(piece.tag)) {
        region = TASK_TAGS.has(piece.tag) ? null : piece.tag
        mark(`<${piece.tag}>`)
      }
    } else if (piece.kind === 'close') {
      if (region === piece.tag) region = null
    } else if (piece.kind === 'unit') {
      const heading = classifyHeading(piece)
      const instructs = endsData(piece, heading)
      if (region !== null && !instructs) continue
      if (region === OPEN) region = null
      if (!slot || instructs) keepUnit(piece, opensPassage(piece) ? 'data' : heading)
      else if (piece.colon) keep(trailingKey(piece), true)
      else slot = false
    } else if (region === null && !slot) {
      mark(piece.kind === 'block' ? `<${piece.tag}>` : jsonMark(piece))
    }
  }
  return core
}

/** A region that a heading opened: it ends with the next instruction, not with a tag. */
const OPEN = ':'

function jsonMark(json: Extract<Piece, { kind: 'json' }>): string {
  return json.schema || json.length <= LONGEST_EXAMPLE ? `{${json.keys.join(' ')}}` : '{}'
}

function opensPassage(unit: Unit): boolean {
  return unit.lead === 'citation'
}

/** Whether inserted text ends here: with a sentence about the answer, or a heading that announces instructions. */
function endsData(unit: Unit, heading: Heading): boolean {
  const first = unit.words[0]?.text ?? ''
  if (heading === 'task' || unit.lead === 'heading') {
    if (unit.words.length <= 4 && unit.words.some(({ text }) => CLOSING_HEADINGS.has(text))) return true
  }
  if (unit.words.length >= 3 && ANSWER_VERBS.has(first)) return true
  return STARTERS.has(first) && unit.words.some(({ text }) => REPLY_NOUNS.has(text))
}
