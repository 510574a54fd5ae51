import type { Word } from './prompt-piece.ts'

const OPEN_QUOTES = '"“«„「'
const CLOSED_QUOTES = '"”»“」'

/** The words of `Search results for "the lost card":` between quotation marks. */
export function quotedWords(words: readonly Word[], text: string): ReadonlySet<Word> {
  const quoted = new Set<Word>()
  let isOpen = false
  for (const word of words) {
    isOpen ||= OPEN_QUOTES.includes(text.charAt(word.start - 1) || ' ')
    if (isOpen) quoted.add(word)
    if (CLOSED_QUOTES.includes(text.charAt(word.end) || ' ')) isOpen = false
  }
  return quoted
}
