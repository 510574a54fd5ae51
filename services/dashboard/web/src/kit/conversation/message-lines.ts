import { withVisibleDirection } from '../text/hostile-markdown.ts'
import { roleOf, type StoredMessage, textOf } from './message-parts.ts'

/** The beginning of a text on one line, for lists; marks of direction are visible. */
export function firstWords(text: string, maxLength = 140): string {
  const line = withVisibleDirection(text.replace(/\s+/g, ' ').trim())
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line
}

/** Number of words, for what is folded. */
export function wordCount(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

/** The last question of a conversation on one line; empty without a message. */
export function questionOf(messages: readonly StoredMessage[]): string {
  const asked = messages.findLast((message) => roleOf(message) === 'user') ?? messages.at(-1)
  return asked === undefined ? '' : firstWords(textOf(asked))
}
