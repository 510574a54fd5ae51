import { hash } from 'node:crypto'
import { type MaskedUnit, maskUnits } from './mask-units.ts'
import { MASK, type Piece } from './prompt-piece.ts'
import { taskCore } from './task-core.ts'
import { LANGUAGES, TRANSLATING } from './task-lexicon.ts'

/** Fewer units or words of instructions are too little to tell applications apart. */
const MIN_UNITS = 2
const MIN_WORDS = 8

/** Equal for prompts with the same instructions, whatever is inserted; null when they are too few to tell. */
export function taskKey(pieces: readonly Piece[], text: string): string | null {
  const core = taskCore(pieces, text)
  if (core === null) return null
  const units = maskUnits(core).map(withoutLanguages)
  const distinct = [...new Set(units)]
  const words = distinct
    .join(' ')
    .split(' ')
    .filter((word) => word !== MASK).length
  if (distinct.length < MIN_UNITS || words < MIN_WORDS) return null
  return hash('sha256', distinct.join('\n'), 'hex').slice(0, 16)
}

function withoutLanguages(unit: MaskedUnit): string {
  if (unit.kind === 'mark') return unit.skeleton
  const words = unit.skeleton.split(' ')
  const languages = words.filter((word) => LANGUAGES.has(word)).length
  const isPair = languages > 1 || (languages === 1 && words.some((word) => TRANSLATING.test(word)))
  return isPair ? words.map((word) => (LANGUAGES.has(word) ? MASK : word)).join(' ') : unit.skeleton
}
