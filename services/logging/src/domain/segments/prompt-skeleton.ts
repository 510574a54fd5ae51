import { hash } from 'node:crypto'
import { familyLabel } from './family-label.ts'
import { hashUnit } from './hash-unit.ts'
import { type MaskedUnit, maskUnits } from './mask-units.ts'
import { scanPrompt } from './scan-prompt.ts'
import { type CoreUnit, selectCore } from './select-core.ts'

/** What is left of a prompt without its variable parts. */
export interface PromptSkeleton {
  /** Equal for prompts that differ in variable parts only. */
  readonly familyId: string
  /** Each distinct unit once, in order. */
  readonly units: readonly SkeletonUnit[]
  /** The family's label, if this prompt founds one. */
  label(): string
}

export interface SkeletonUnit {
  readonly hash: number
  /** How many stable words it has. */
  readonly words: number
  /** It may be part of an inserted text. */
  readonly doubtful: boolean
}

/** Of a longer prompt the middle counts as inserted text. */
const READ_HEAD = 96 * 1024
const READ_TAIL = 32 * 1024

/** The skeleton of a whitespace-normalised prompt that is not empty. */
export function promptSkeleton(text: string): PromptSkeleton {
  const read = text.length > READ_HEAD + READ_TAIL ? `${text.slice(0, READ_HEAD)} ${text.slice(-READ_TAIL)}` : text
  const masked = distinct(maskUnits(coreOf(read)))
  return {
    familyId: `seg_${hash('sha256', masked.map(({ skeleton }) => skeleton).join('\n'), 'hex').slice(0, 16)}`,
    units: masked.map(skeletonUnit),
    label: () => familyLabel(masked, read),
  }
}

/** Where everything looks like data, all of it is what is asked for. */
function coreOf(text: string): CoreUnit[] {
  const pieces = scanPrompt(text)
  const core = selectCore(pieces)
  if (core.some(({ kind }) => kind === 'words')) return core
  return pieces.flatMap((piece): CoreUnit[] =>
    piece.kind === 'unit'
      ? [{ kind: 'words', words: piece.words, heading: false, doubtful: false }]
      : [{ kind: 'mark', text: `<${piece.kind}>` }],
  )
}

/** Lists of passages repeat their headings as often as they have items. */
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
  return { hash: hashUnit(unit.skeleton), words, doubtful: unit.kind === 'words' && unit.doubtful }
}
