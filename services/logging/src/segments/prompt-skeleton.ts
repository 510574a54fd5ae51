import { hash } from 'node:crypto'
import { commands } from './commands.ts'
import { hashText } from './hash-text.ts'
import { type MaskedUnit, maskUnits } from './mask-units.ts'
import { normalizeLines, withoutLines } from './normalize-whitespace.ts'
import { type PromptFrame, pointingKey, promptFrames, withoutPointedTexts } from './prompt-frames.ts'
import { type LayoutPart, promptLayout } from './prompt-layout.ts'
import type { Piece, Word } from './prompt-piece.ts'
import { scanPrompt } from './scan-prompt.ts'
import { type CoreUnit, selectCore } from './select-core.ts'
import { taskCore } from './task-core.ts'
import { coreLines, instructionKey, isEnough, ownerKey } from './task-key.ts'
import { addressesModel, textRuns } from './text-runs.ts'
import { unfoldJson } from './unfold-json.ts'

/** A prompt without its variable parts. */
export interface PromptSkeleton {
  /** Equal for prompts that differ in variable parts only. */
  readonly familyId: string
  /** Each distinct unit once, in order; the first 2,000. */
  readonly units: readonly SkeletonUnit[]
  /** The family's label, if this prompt founds one. */
  label(): string
  /** Prompts with one of these keys in common have the same instructions. None when there are too few. */
  taskKeys(): readonly string[]
  /** The key of prompts that name another owner in the same instructions; null for none. */
  ownerKey(): string | null
  /** The instructions around texts that may be inserted. */
  frames(): readonly PromptFrame[]
  /** The instructions without texts that they point to, each line once: its words, and `*` for each variable part. */
  lines(): readonly string[]
  /** Its lines and sentences. */
  parts(): readonly LayoutPart[]
}

export interface SkeletonUnit {
  readonly hash: number
  /** Number of stable words. */
  readonly words: number
  /** It may be part of an inserted text. */
  readonly doubtful: boolean
  /** It is an instruction. */
  readonly instructs: boolean
}

const MAX_LABEL_LENGTH = 80
const GAP = '…'
/** The middle of a longer prompt counts as inserted text. */
const READ_HEAD = 12 * 1024
const READ_TAIL = 4 * 1024
/** Families have 256 at most. */
const MAX_UNITS = 2_000

/**
 * The skeleton of a prompt. Only its parts depend on its line breaks, and its family on its last line.
 *
 * @param text with normalized lines, not empty
 */
export function promptSkeleton(text: string): PromptSkeleton {
  const unfolded = normalizeLines(unfoldJson(text))
  const isLong = unfolded.length > READ_HEAD + READ_TAIL
  const lined = isLong ? `${unfolded.slice(0, READ_HEAD)} ${unfolded.slice(-READ_TAIL)}` : unfolded
  const read = withoutLines(lined)
  const pieces = scanPrompt(read)
  const masked = distinct(maskUnits(withLastLine(coreOf(pieces), pieces, lined.lastIndexOf('\n'))))
  const inserted = once(() => ({ pieces, text: read, runs: textRuns(pieces, read) }))
  return {
    familyId: `seg_${hash('sha256', masked.map(({ skeleton }) => skeleton).join('\n'), 'hex').slice(0, 16)}`,
    units: masked.slice(0, MAX_UNITS).map(skeletonUnit),
    label: () => familyLabel(masked, read),
    taskKeys: once(() => [instructionKey(pieces, read), pointingKey(inserted())].filter((key) => key !== null)),
    ownerKey: once(() => ownerKey(pieces, read)),
    frames: once(() => promptFrames(inserted())),
    lines: once(() => {
      const kept = withoutPointedTexts(inserted())
      const lines = coreLines(taskCore(kept, read) ?? [])
      return isEnough(lines) ? lines : coreLines(coreOf(kept))
    }),
    parts: once(() => promptLayout(pieces, lined)),
  }
}

function once<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | null = null
  return () => {
    computed ??= { value: compute() }
    return computed.value
  }
}

/** When everything looks like inserted text, the whole prompt counts as task. */
function coreOf(pieces: readonly Piece[]): CoreUnit[] {
  const core = selectCore(pieces)
  if (core.some(({ kind }) => kind === 'words')) return core
  return pieces.flatMap((piece): CoreUnit[] =>
    piece.kind === 'unit'
      ? [{ kind: 'words', words: piece.words, heading: false, doubtful: false }]
      : [{ kind: 'mark', text: `<${piece.kind}>` }],
  )
}

/** A last line that begins with an instruction is one, even if it follows a text without a heading between them. */
function withLastLine(core: CoreUnit[], pieces: readonly Piece[], from: number): CoreUnit[] {
  const last = pieces.filter((piece) => piece.kind === 'unit' && (piece.words[0]?.start ?? 0) > from)
  const [first] = last
  const isKept = core.some((unit) => unit.kind === 'words' && (unit.words[0]?.start ?? 0) > from)
  if (from === -1 || isKept || first?.kind !== 'unit' || first.colon || !commands(first)) return core
  return [...core, ...coreOf(last)]
}

/** Removes repeated units, because a list of passages repeats its headings for every item. */
function distinct(units: readonly MaskedUnit[]): MaskedUnit[] {
  const seen = new Set<string>()
  return units.filter(({ skeleton }) => {
    if (seen.has(skeleton)) return false
    seen.add(skeleton)
    return true
  })
}

function skeletonUnit(unit: MaskedUnit): SkeletonUnit {
  const words = unit.stable.filter((word) => word !== null).length
  return {
    hash: hashText(unit.skeleton),
    words,
    doubtful: unit.kind === 'words' && unit.doubtful,
    instructs: unit.kind === 'words' && instructs(unit),
  }
}

function instructs({ words }: { readonly words: readonly Word[] }): boolean {
  return commands({ words }) || addressesModel({ words })
}

/** A readable name: the first stable words of the task, at most 80 characters. */
function familyLabel(units: readonly MaskedUnit[], text: string): string {
  let label = ''
  let end = -1
  for (const word of units.flatMap(({ stable }) => stable)) {
    const written = word === null ? GAP : text.slice(word.start, word.end) + markAfter(text.charAt(word.end))
    const longer = label + (label === '' || word?.start === end ? '' : ' ') + written
    if (longer.length >= MAX_LABEL_LENGTH) return label === '' ? cut(written) : label + GAP
    label = longer
    end = word?.end ?? -1
  }
  return /^[… ]*$/.test(label) ? 'Prompts without words' : label
}

function markAfter(mark: string): string {
  return mark !== '' && '.,;:!?。，'.includes(mark) ? mark : ''
}

/** Cuts by code points, so that no surrogate pair is split. */
function cut(word: string): string {
  return `${[...word].slice(0, MAX_LABEL_LENGTH / 2 - 1).join('')}${GAP}`
}
