import type { ExchangeDigest } from './digest-exchange.ts'

/** A future example: the exchange with the whole conversation, and the earlier exchanges that it contains. */
export interface Conversation {
  readonly leaf: ExchangeDigest
  /** Exchanges whose prompt and answer are the beginning of the leaf's prompt, oldest first. */
  readonly folded: readonly ExchangeDigest[]
}

/**
 * Folds exchanges into the later ones that repeat them. An exchange is folded only when another one's messages begin
 * with its whole prompt and answer; steps of an agent that are rephrased later stay separate. When a conversation
 * branches, each branch contains the common beginning.
 *
 * @param digests must not contain duplicates
 */
export function foldExchanges(digests: readonly ExchangeDigest[]): readonly Conversation[] {
  const byWhole = new Map(digests.map((digest) => [digest.whole, digest]))
  const conversations = digests.map((leaf) => ({
    leaf,
    folded: leaf.earlier.flatMap(({ whole }) => byWhole.get(whole) ?? []),
  }))
  const inner = new Set(conversations.flatMap(({ folded }) => folded))
  return conversations.filter(({ leaf }) => !inner.has(leaf))
}
