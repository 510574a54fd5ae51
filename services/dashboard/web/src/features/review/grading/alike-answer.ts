import type { ReviewItem } from '@ratchet/contracts/review-grades'
import { roleOf, textOf } from '../../../kit/conversation/message-parts.ts'

/** An answer that was graded before and is nearly the same. */
export interface AlikeAnswer {
  readonly text: string
  /** How many items ago it was graded; 1: the one before. */
  readonly itemsAgo: number
}

type Answered = Pick<ReviewItem, 'id' | 'messages' | 'response'>

/** Share of words that two answers have in common, of 1, from which a list of changes is shorter to read than the answer. */
const leastShare = 0.8
/** Further back, people have forgotten what they read. */
const lookedAt = 20

/**
 * The last graded answer of the same system prompt that is nearly the same as this one; null when there is none.
 *
 * @param graded the items of this sitting that were graded, the last one at the end
 */
export function alikeAnswer(item: Answered, graded: readonly Answered[]): AlikeAnswer | null {
  const words = wordsOf(textOf(item.response))
  const before = graded.filter(({ id }) => id !== item.id).slice(-lookedAt)
  for (const [index, other] of before.toReversed().entries()) {
    const text = textOf(other.response)
    if (systemOf(other) !== systemOf(item) || text === textOf(item.response)) continue
    if (commonShare(words, wordsOf(text)) >= leastShare) return { text, itemsAgo: index + 1 }
  }
  return null
}

function systemOf({ messages: [first] }: Answered): string {
  return first !== undefined && ['system', 'developer'].includes(roleOf(first)) ? textOf(first) : ''
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

/** Of the words of both, counted as often as they stand there. */
function commonShare(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of one) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of other) {
    const count = left.get(word) ?? 0
    if (count > 0) common += 1
    left.set(word, count - 1)
  }
  return one.length + other.length === 0 ? 0 : (2 * common) / (one.length + other.length)
}
