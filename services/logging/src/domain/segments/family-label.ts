import type { MaskedUnit } from './mask-units.ts'
import { MASK } from './prompt-piece.ts'

const LONGEST_LABEL = 80

/** A name for people: the first words of what the prompt asks for, without variable parts, at most 80 characters. */
export function familyLabel(units: readonly MaskedUnit[], text: string): string {
  let label = ''
  for (const unit of units) {
    if (unit.kind === 'mark') continue
    for (const word of originalWords(unit, text)) {
      const longer = label === '' ? word : `${label} ${word}`
      if (longer.length >= LONGEST_LABEL) return label === '' ? cut(word) : `${label}…`
      label = longer
    }
  }
  return label === '' ? 'Prompts without words' : label
}

/** The unit's words as they were written, `…` for each variable part. */
function originalWords(unit: Extract<MaskedUnit, { kind: 'words' }>, text: string): string[] {
  const original = new Map(unit.words.map((word) => [word.text, text.slice(word.start, word.end)]))
  const words = unit.skeleton.split(' ').map((word) => (word === MASK ? '…' : (original.get(word) ?? word)))
  const last = words.length - 1
  return words.map((word, index) => (index === last && word !== '…' ? `${word}${endMark(unit, text)}` : word))
}

function endMark(unit: Extract<MaskedUnit, { kind: 'words' }>, text: string): string {
  const mark = text[unit.words.at(-1)?.end ?? text.length] ?? ''
  return '.:!?'.includes(mark) ? mark : ''
}

function cut(word: string): string {
  return `${[...word].slice(0, LONGEST_LABEL / 2 - 1).join('')}…`
}
