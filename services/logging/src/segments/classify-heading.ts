import { DATA_NOUNS, DATA_NOUNS_CJK, POINTERS, STARTERS, TASK_NOUNS } from './lexicon.ts'
import { MASK, type Unit, type Word } from './prompt-piece.ts'

/** `data`: inserted text follows; `task`: instructions follow; `slot`: one value follows (`Name:`). */
export type Heading = 'data' | 'task' | 'slot' | 'none'

const SHORT = 4

/** Classifies what a unit announces. Only units that end in a colon, and headings of Markdown, announce anything. */
export function classifyHeading(unit: Unit): Heading {
  if (unit.lead === 'heading' && !unit.colon)
    return lastNoun(unit.words.slice(0, 3), 'data') === 'data' ? 'data' : 'none'
  if (!unit.colon) return 'none'
  if (unit.words.some(({ text }) => text.length === 1 && text.charCodeAt(0) >= 0x3040)) return classifyIdeographs(unit)
  const noun = lastNoun(unit.words, unit.words.length <= 2 ? 'data' : 'task')
  const pointing = unit.words.some(({ text }) => POINTERS.has(text))
  const short = unit.words.length <= SHORT || unit.lead === 'bracket'
  if (noun === 'task') return 'task'
  if (noun === 'data' && pointing) return 'data'
  if (!short || (unit.words.length > 1 && STARTERS.has(unit.words[0]?.text ?? ''))) return 'none'
  return noun === 'data' ? 'data' : 'slot'
}

/** `# Context Paris is …`: line breaks become spaces, so the heading ends with its noun. */
export function headingWords(unit: Unit): readonly Word[] {
  if (unit.lead !== 'heading' || unit.colon) return unit.words
  const first = unit.words.slice(0, 3)
  return first.slice(0, first.findIndex(({ text }) => DATA_NOUNS.has(text)) + 1)
}

/** `Maria Lopez Account status:` is the value of the previous key and then the next key. Returns the key. */
export function trailingKey(unit: Unit): readonly Word[] {
  const from = unit.words.findLastIndex(({ capital }) => capital)
  return unit.words.slice(from === -1 ? -1 : from)
}

/** The kind of the noun nearest to the colon; `preferred` for a word that is both. */
function lastNoun(words: readonly Word[], preferred: 'data' | 'task'): 'data' | 'task' | null {
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const text = words[index]?.text ?? MASK
    const data = DATA_NOUNS.has(text)
    const task = TASK_NOUNS.has(text)
    if (data && task) return preferred
    if (data) return 'data'
    if (task) return 'task'
  }
  return null
}

function classifyIdeographs(unit: Unit): Heading {
  const text = unit.words.map((word) => word.text).join('')
  return DATA_NOUNS_CJK.some((noun) => text.includes(noun)) ? 'data' : 'none'
}
