import type { EarlierAnswer, ExchangeDigest } from './digest-exchange.ts'
import { createTalks } from './talks.ts'

/** A future example: the exchange with the whole conversation, and the earlier exchanges that it contains. */
export interface Conversation {
  readonly leaf: ExchangeDigest
  /** Exchanges whose prompt and answer are the beginning of the leaf's prompt, oldest first. */
  readonly folded: readonly ExchangeDigest[]
}

/** The exchanges of a future example, its leaf first. */
export function conversationExchanges({ leaf, folded }: Conversation): readonly ExchangeDigest[] {
  return [leaf, ...folded]
}

/**
 * Folds exchanges into the later ones that repeat them. An exchange is folded only when another one's messages begin
 * with its whole prompt and answer; steps of an agent that are rephrased later stay separate. Instructions may differ,
 * because an application that searches documents changes them at each turn. When a conversation branches, each branch
 * contains the common beginning. The time grows with the number of answers in all prompts; yields from time to time.
 *
 * @param digests the oldest first; must not contain duplicates
 */
export function* foldExchanges(digests: readonly ExchangeDigest[]): Generator<void, readonly Conversation[]> {
  const earlierOf = yield* finder(digests)
  const conversations: Conversation[] = []
  for (const leaf of digests) {
    const folded: ExchangeDigest[] = []
    for (const answer of leaf.earlier) {
      const found = earlierOf(leaf, answer)
      if (found !== undefined) folded.push(found)
    }
    conversations.push({ leaf, folded })
    yield
  }
  const inner = yield* innerOf(conversations)
  return conversations.filter(({ leaf }) => !inner.has(leaf))
}

/**
 * The exchanges that are in a later one. What only an inner exchange continues, because they have a thread in common that the
 * leaf does not have, is an example of its own.
 */
function* innerOf(conversations: readonly Conversation[]): Generator<void, ReadonlySet<ExchangeDigest>> {
  const inner = new Set<ExchangeDigest>()
  // An exchange has more answers in its prompt than those that are folded into it.
  const byLength = Map.groupBy(conversations, ({ leaf }) => leaf.earlier.length)
  for (const length of [...byLength.keys()].sort((a, b) => b - a)) {
    for (const { leaf, folded } of byLength.get(length) ?? []) {
      if (!inner.has(leaf)) for (const each of folded) inner.add(each)
      yield
    }
  }
  return inner
}

/** Finds the exchange that gave an answer: with the same instructions, or else the latest one before the leaf. */
function* finder(digests: readonly ExchangeDigest[]) {
  const byWhole = new Map<string, ExchangeDigest>()
  const talks = createTalks(digests)
  for (const [place, digest] of digests.entries()) {
    byWhole.set(digest.whole, digest)
    talks.add(place)
    yield
  }
  return (leaf: ExchangeDigest, { whole, talk }: EarlierAnswer): ExchangeDigest | undefined =>
    byWhole.get(whole) ?? talks.before(leaf, talk)
}
