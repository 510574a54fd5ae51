import { hash } from 'node:crypto'
import { commands } from './commands.ts'
import { MASK, type Piece } from './prompt-piece.ts'
import { instructionKey, wholeKey } from './task-key.ts'
import {
  addressesModel,
  announcesText,
  isAboutAnswer,
  isData,
  isText,
  pointsToText,
  type TextRun,
  withoutInstructions,
} from './text-runs.ts'

/** The instructions of a prompt around a text that may be inserted. */
export interface PromptFrame {
  /** Equal for prompts with the same instructions around the text. */
  readonly key: string
  /** Hashes of the first and of the last unit of the text. */
  readonly first: string
  readonly last: string
  /** Units of the text. */
  readonly size: number
  /** The text hardly contains an instruction. */
  readonly states: boolean
  /** It certainly begins and ends with statements. */
  readonly certain: boolean
}

/** Units at each end of a run that may belong to the instructions. */
const MAX_TRIMMED = 2
/** Units of each text at the ends of a span, and of all texts in it at least. */
const UNITS_OF_PART = 2
const UNITS_OF_SPAN = 8
/** Share of a span that is text at least. */
const TEXT_SHARE = 0.6
/** A frame of one unit has so many words at least. */
const WORDS_OF_ONE = 12

export interface ReadPieces {
  readonly pieces: readonly Piece[]
  /** The text of the pieces. */
  readonly text: string
  /** The runs of units without an instruction. */
  readonly runs: readonly TextRun[]
}

/** The frames of a prompt around its longest text and around all of them, those of longer texts first. */
export function promptFrames({ pieces, text, runs }: ReadPieces): readonly PromptFrame[] {
  const [longest] = runs.toSorted((a, b) => b.to - b.from - (a.to - a.from))
  if (longest === undefined) return []
  const regions: (readonly TextRun[])[] = [[longest], ...trimmed(longest)]
  if (runs.length > 1) regions.push(runs)
  const span = spanOf(runs, pieces, text)
  if (span !== null) regions.push([span], ...trimmed(span))
  const frames = new Map<string, PromptFrame>()
  for (const region of regions) {
    const key = keyWithout(pieces, text, region)
    // The same key again: the other region differs in units that keys leave out anyway.
    if (key !== null && !frames.has(key)) frames.set(key, frameOf(key, region, { pieces, text }))
  }
  return [...frames.values()].sort((a, b) => b.size - a.size)
}

/**
 * From the first text to the last one, when most of what is between is text. Texts instruct their readers too, so single
 * instructions inside belong to it, unless they ask for an answer.
 */
function spanOf(runs: readonly TextRun[], pieces: readonly Piece[], text: string): TextRun | null {
  const long = runs.filter((run) => run.to - run.from >= UNITS_OF_PART && isText(run, pieces, text))
  const [first, last] = [long[0], long.at(-1)]
  if (first === undefined || last === undefined || first === last) return null
  const span = { from: first.from, to: last.to }
  const written = runs.filter(({ from, to }) => from >= span.from && to <= span.to)
  const units = written.reduce((sum, { from, to }) => sum + to - from, 0)
  const isMostlyText = units >= UNITS_OF_SPAN && units >= TEXT_SHARE * (span.to - span.from)
  return isMostlyText && !pieces.slice(span.from, span.to).some(asksForAnswer) ? span : null
}

function asksForAnswer(piece: Piece): boolean {
  return piece.kind === 'unit' && commands(piece) && isAboutAnswer(piece)
}

/**
 * The key of the instructions without the texts that a heading announces, or that they point to; null when there are
 * none.
 */
export function pointingKey(read: ReadPieces): string | null {
  const texts = pointedTexts(read)
  return texts.length > 0 ? keyWithout(read.pieces, read.text, texts) : null
}

/** The pieces without the texts that a heading announces, or that the instructions point to. */
export function withoutPointedTexts(read: ReadPieces): readonly Piece[] {
  return piecesWithout(read.pieces, pointedTexts(read))
}

function pointedTexts({ pieces, text, runs }: ReadPieces): readonly TextRun[] {
  const certain = runs.map((run) => withoutInstructions(run, pieces, text)).filter((run) => isText(run, pieces, text))
  const announced = certain.filter(({ from }) => announcesText(pieces[from - 1]))
  const ends = certain.filter((run) => (run.from === 0 || run.to === pieces.length) && !announced.includes(run))
  const points = pieces.some((piece, at) => pointsToText(piece) && !ends.some((run) => at >= run.from && at < run.to))
  return points ? [...announced, ...ends] : announced
}

function trimmed({ from, to }: TextRun): (readonly TextRun[])[] {
  const units = Array.from({ length: Math.min(MAX_TRIMMED, to - from - 1) }, (_, index) => index + 1)
  return units.flatMap((count) => [[{ from: from + count, to }], [{ from, to: to - count }]])
}

function keyWithout(pieces: readonly Piece[], text: string, runs: readonly TextRun[]): string | null {
  const kept = piecesWithout(pieces, runs)
  // Other sentences may be statements of another text, or instructions of a language whose verbs are unknown.
  if (!kept.some((piece) => piece.kind === 'unit' && (commands(piece) || addressesModel(piece)))) return null
  const options = { wordsOfOne: WORDS_OF_ONE, prefix: 'around' }
  return instructionKey(kept, text, options) ?? wholeKey(kept, options)
}

/** A text after a heading leaves a mark, so that what follows it is not taken for the value of the heading. */
function piecesWithout(pieces: readonly Piece[], runs: readonly TextRun[]): readonly Piece[] {
  return pieces.flatMap((piece, at): readonly Piece[] => {
    const run = runs.find(({ from, to }) => at >= from && at < to)
    if (run === undefined) return [piece]
    const before = pieces[at - 1]
    const isValue = at === run.from && before?.kind === 'unit' && before.colon && piece.kind === 'unit'
    return isValue ? [{ ...piece, words: piece.words.slice(0, 1).map((word) => ({ ...word, text: MASK })) }] : []
  })
}

function frameOf(
  key: string,
  runs: readonly TextRun[],
  { pieces, text }: Pick<ReadPieces, 'pieces' | 'text'>,
): PromptFrame {
  const units = runs.flatMap(({ from, to }) => pieces.slice(from, to))
  const written = units.filter((unit) => unit.kind === 'unit' && unit.words.some((word) => word.text !== MASK))
  return {
    key,
    first: hashUnit(written[0]),
    last: hashUnit(written.at(-1)),
    size: written.length,
    states: runs.some((run) => isText(run, pieces, text)),
    certain: isData(written[0], text) && isData(written.at(-1), text),
  }
}

/** Equal for units that differ in names and numbers only. */
function hashUnit(piece: Piece | undefined): string {
  const words = piece?.kind === 'unit' ? piece.words : []
  const stable = words.map(({ text, capital }, index) => (capital && index > 0 ? MASK : text)).join(' ')
  return hash('sha256', stable, 'hex').slice(0, 8)
}
