import type { EarlierAnswer, ExchangeDigest } from './digest-exchange.ts'

/** A future example: the exchange with the whole conversation, and the earlier exchanges that it contains. */
export interface Conversation {
  readonly leaf: ExchangeDigest
  /** Exchanges whose prompt and answer are the beginning of the leaf's prompt, oldest first. */
  readonly folded: readonly ExchangeDigest[]
}

/**
 * Folds exchanges into the later ones that repeat them. An exchange is folded only when another one's messages begin
 * with its whole prompt and answer; steps of an agent that are rephrased later stay separate. Instructions may differ,
 * because an application that searches documents changes them at each turn. When a conversation branches, each branch
 * contains the common beginning.
 *
 * @param digests must not contain duplicates
 */
export function foldExchanges(digests: readonly ExchangeDigest[]): readonly Conversation[] {
  const earlierOf = finder(digests)
  const conversations = digests.map((leaf) => ({
    leaf,
    folded: leaf.earlier.flatMap((answer) => earlierOf(leaf, answer) ?? []),
  }))
  const inner = new Set(conversations.flatMap(({ folded }) => folded))
  return conversations.filter(({ leaf }) => !inner.has(leaf))
}

/** Finds the exchange that gave an answer: with the same instructions, or else the latest one before the leaf. */
function finder(digests: readonly ExchangeDigest[]) {
  const byWhole = new Map(digests.map((digest) => [digest.whole, digest]))
  const byTalk = Map.groupBy(digests, ({ talk }) => talk)
  return (leaf: ExchangeDigest, { whole, talk }: EarlierAnswer): ExchangeDigest | undefined => {
    const same = byWhole.get(whole)
    if (same !== undefined) return same
    const others = (byTalk.get(talk) ?? []).filter((each) => each !== leaf && isOneConversation(leaf, each))
    return others.findLast(({ createdAtMs }) => createdAtMs <= leaf.createdAtMs) ?? others[0]
  }
}

/** A short talk, such as a greeting, occurs in several conversations. */
function isOneConversation(leaf: ExchangeDigest, earlier: ExchangeDigest): boolean {
  const threads = new Set(leaf.threads)
  return earlier.isDistinctive || earlier.threads.some((thread) => threads.has(thread))
}
