import type { ExchangeKey } from '../exchange-reads.ts'
import type { ExchangeDigest } from './digest-exchange.ts'
import { type Conversation, foldExchanges } from './fold-exchanges.ts'
import { kinshipGroups } from './kinship-groups.ts'
import { findNearDuplicates } from './near-duplicates.ts'
import { drawOrder, type SplitOptions, splitHoldout } from './split-holdout.ts'

export const dropReasons = [
  'errored',
  'truncated',
  'empty',
  'duplicate',
  'near_duplicate',
  'judge_failed',
  'judge_unscored',
  'too_long',
  'leaked',
  'over_max_examples',
] as const
export type DropReason = (typeof dropReasons)[number]

/** All counts are of exchanges, but for those that say otherwise; matched = kept + everything dropped. */
export interface CurationSummary {
  readonly matched: number
  /** In an example, as its last turn or folded into it: train_count + eval_count + folded_turns. */
  readonly kept: number
  readonly dropped: Readonly<Record<DropReason, number>>
  /** Examples that earlier exchanges were folded into. */
  readonly folded_conversations: number
  /** Exchanges that live on as an earlier turn. */
  readonly folded_turns: number
  /** Examples. */
  readonly train_count: number
  readonly eval_count: number
}

export interface PlannedExample {
  /** The exchange that it is made of. */
  readonly key: ExchangeKey
  readonly segment: string
  readonly foldedTurns: number
  /** Indexes of messages that nobody should learn from: answers that were cut off or failed when they were given. */
  readonly muted: readonly number[]
}

export interface Curation {
  readonly train: readonly PlannedExample[]
  readonly eval: readonly PlannedExample[]
  readonly summary: CurationSummary
}

export interface CurationOptions extends SplitOptions {
  /** Most examples, those of both sides together. */
  readonly maxExamples?: number | undefined
}

/**
 * Decides which exchanges become which examples. The order of the digests does not matter, and the same ones with the
 * same seed always become the same. Conversations, traces and whatever began alike stay on one side of the split.
 */
export function curate(exchanges: readonly ExchangeDigest[], options: CurationOptions): Curation {
  const digests = exchanges.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.key.id < b.key.id ? -1 : 1))
  const lost = new Map<ExchangeDigest, DropReason>()
  const sound = dropFlawed(digests, lost)
  const drop = (conversations: Iterable<Conversation>, reason: DropReason) => {
    for (const { leaf, folded } of conversations) for (const each of [leaf, ...folded]) lost.set(each, reason)
  }
  const folded = foldExchanges(sound)
  const near = findNearDuplicates(folded)
  drop(near, 'near_duplicate')
  const distinct = folded.filter((conversation) => !near.has(conversation))
  const chosen = chooseSome(distinct, options)
  drop(
    distinct.filter((conversation) => !chosen.has(conversation)),
    'over_max_examples',
  )
  const sides = split(digests, [...chosen], options)
  drop(sides.leaked, 'leaked')
  const plan = planner(digests)
  return {
    train: sides.train.map(plan),
    eval: sides.eval.map(plan),
    summary: summarize(digests.length, sides, lost),
  }
}

/** The oldest of equal exchanges stays. */
function dropFlawed(digests: readonly ExchangeDigest[], lost: Map<ExchangeDigest, DropReason>): ExchangeDigest[] {
  const seen = new Set<string>()
  return digests.filter((digest) => {
    const reason = digest.flaw ?? (seen.has(digest.whole) ? 'duplicate' : null)
    if (reason === null) seen.add(digest.whole)
    else lost.set(digest, reason)
    return reason === null
  })
}

function chooseSome(
  conversations: readonly Conversation[],
  { maxExamples = Number.POSITIVE_INFINITY, seed }: CurationOptions,
): ReadonlySet<Conversation> {
  if (conversations.length <= maxExamples) return new Set(conversations)
  const order = drawOrder(
    conversations.map(({ leaf }) => leaf.whole),
    seed,
  )
  const drawn = new Set(order.slice(0, maxExamples))
  return new Set(conversations.filter(({ leaf }) => drawn.has(leaf.whole)))
}

interface Sides {
  readonly train: readonly Conversation[]
  readonly eval: readonly Conversation[]
  readonly leaked: readonly Conversation[]
}

/** Exchanges that are dropped still say what belongs together. */
function split(digests: readonly ExchangeDigest[], chosen: readonly Conversation[], options: SplitOptions): Sides {
  const groupOf = kinshipGroups(digests.map(({ kinship }) => kinship))
  const byGroup = Map.groupBy(chosen, ({ leaf }) => groupOf(leaf.kinship[0]))
  const held = splitHoldout(new Map([...byGroup].map(([name, { length }]) => [name, length])), options)
  const isHeld = ({ leaf }: Conversation) => held.has(groupOf(leaf.kinship[0]))
  const train = chosen.filter((conversation) => !isHeld(conversation))
  const trained = new Set(train.flatMap(({ leaf, folded }) => [leaf, ...folded]).map(({ promptKey }) => promptKey))
  const isLeaked = ({ leaf, folded }: Conversation) => [leaf, ...folded].some(({ promptKey }) => trained.has(promptKey))
  const evals = chosen.filter(isHeld)
  return { train, eval: evals.filter((each) => !isLeaked(each)), leaked: evals.filter(isLeaked) }
}

function planner(digests: readonly ExchangeDigest[]): (conversation: Conversation) => PlannedExample {
  const isSpoiled = ({ flaw }: ExchangeDigest) => flaw === 'truncated' || flaw === 'errored'
  const spoiled = new Set(digests.filter(isSpoiled).map(({ whole }) => whole))
  const sound = new Set(digests.filter(({ flaw }) => flaw === null).map(({ whole }) => whole))
  return ({ leaf, folded }) => ({
    key: leaf.key,
    segment: leaf.segment,
    foldedTurns: folded.length,
    muted: leaf.earlier.filter(({ whole }) => spoiled.has(whole) && !sound.has(whole)).map(({ at }) => at),
  })
}

function summarize(matched: number, sides: Sides, lost: ReadonlyMap<ExchangeDigest, DropReason>): CurationSummary {
  const examples = [...sides.train, ...sides.eval]
  const leaves = new Set(examples.map(({ leaf }) => leaf))
  const turns = new Set(examples.flatMap(({ folded }) => folded))
  const dropped = Object.fromEntries(dropReasons.map((reason) => [reason, 0])) as Record<DropReason, number>
  // The beginning of a branch that was dropped may live on in another branch.
  for (const [digest, reason] of lost) if (!turns.has(digest)) dropped[reason] += 1
  return {
    matched,
    kept: leaves.size + turns.size,
    dropped,
    folded_conversations: examples.filter(({ folded }) => folded.length > 0).length,
    folded_turns: turns.size,
    train_count: sides.train.length,
    eval_count: sides.eval.length,
  }
}
