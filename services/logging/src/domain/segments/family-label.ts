import type { MaskedUnit } from './mask-units.ts'

const LONGEST_LABEL = 80
const GAP = '…'

/** A name for people: the first words of what the prompt asks for, without variable parts, at most 80 characters. */
export function familyLabel(units: readonly MaskedUnit[], text: string): string {
  let label = ''
  let end = -1
  for (const word of units.flatMap(({ stable }) => stable)) {
    const written = word === null ? GAP : text.slice(word.start, word.end) + markAfter(text.charAt(word.end))
    const longer = label + (label === '' || word?.start === end ? '' : ' ') + written
    if (longer.length >= LONGEST_LABEL) return label === '' ? cut(written) : label + GAP
    label = longer
    end = word?.end ?? -1
  }
  return /^[… ]*$/.test(label) ? 'Prompts without words' : label
}

function markAfter(mark: string): string {
  return mark !== '' && '.,;:!?。，'.includes(mark) ? mark : ''
}

/** By code points, so that no character is cut in two. */
function cut(word: string): string {
  return `${[...word].slice(0, LONGEST_LABEL / 2 - 1).join('')}${GAP}`
}
