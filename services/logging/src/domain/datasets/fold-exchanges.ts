import type { ExchangeDigest } from './digest-exchange.ts'

/** One example to be: the exchange that holds the whole conversation, and the earlier ones that it contains. */
export interface Conversation {
  readonly leaf: ExchangeDigest
  /** Exchanges whose prompt and answer are the beginning of the leaf's prompt, oldest first. */
  readonly folded: readonly ExchangeDigest[]
}

/**
 * Folds exchanges into the later ones that repeat them. An exchange is folded only where another's messages begin with
 * all of its prompt and its answer; steps of an agent that are told in other words stay by themselves. Where a
 * conversation branches, each branch holds the common beginning.
 *
 * @param digests no two the same exchange
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
