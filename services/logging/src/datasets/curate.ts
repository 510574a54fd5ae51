import type { ExchangeDigest } from './digest-exchange.ts'
import { type Conversation, conversationExchanges, foldExchanges } from './fold-exchanges.ts'
import { distinctInSteps, mapInSteps } from './in-steps.ts'
import { type Leakage, measureLeakage } from './leakage.ts'
import { findNearDuplicates } from './near-duplicates.ts'
import { createPlanner, type PlannedExample } from './plan-examples.ts'
import { findFamilies, leakLikeness, likenessToTraining } from './prompt-families.ts'
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

/** Counts of exchanges, unless a member says otherwise. `matched` = `kept` + all of `dropped`. */
export interface CurationSummary {
  readonly matched: number
  /** Exchanges in an example, as its last turn or folded into it: train_count + eval_count + folded_turns. */
  readonly kept: number
  readonly dropped: Readonly<Record<DropReason, number>>
  /** Examples into which earlier exchanges were folded. */
  readonly folded_conversations: number
  /** Exchanges that became an earlier turn of an example. */
  readonly folded_turns: number
  /** Number of examples. */
  readonly train_count: number
  readonly eval_count: number
  /** Measured after examples were dropped as `leaked`. Null when nothing is held out. */
  readonly leakage: Leakage | null
}

export interface Curation {
  readonly train: readonly PlannedExample[]
  readonly eval: readonly PlannedExample[]
  readonly summary: CurationSummary
  /** Some exchanges of each reason, the oldest first. */
  readonly droppedIds: Readonly<Record<DropReason, readonly string[]>>
}

/** Maximum number of exchanges by which a reason is shown. */
const maxShown = 5

export interface CurationOptions extends SplitOptions {
  /** Maximum number of examples of both sides together. */
  readonly maxExamples?: number | undefined
}

/**
 * Decides which exchanges become which examples. The result depends only on the set of digests and the seed, not on
 * their order. Families of exchanges stay on one side of the split. Yields from time to time, because a large log takes
 * seconds.
 */
export function* curate(exchanges: readonly ExchangeDigest[], options: CurationOptions): Generator<void, Curation> {
  const digests = exchanges.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.key.id < b.key.id ? -1 : 1))
  const lost = new Map<ExchangeDigest, DropReason>()
  const sound = yield* dropFlawed(digests, lost)
  const drop = function* (conversations: Iterable<Conversation>, reason: DropReason) {
    for (const conversation of conversations) {
      for (const each of conversationExchanges(conversation)) lost.set(each, reason)
      yield
    }
  }
  const folded = yield* foldExchanges(sound)
  const near = yield* findNearDuplicates(folded)
  yield* drop(near, 'near_duplicate')
  const distinct = folded.filter((conversation) => !near.has(conversation))
  const chosen = yield* chooseSome(distinct, options)
  yield* drop(
    distinct.filter((conversation) => !chosen.has(conversation)),
    'over_max_examples',
  )
  const sides = yield* split(digests, [...chosen], options)
  yield* drop(sides.leaked, 'leaked')
  const plan = yield* createPlanner(digests)
  const turns = yield* distinctInSteps([...sides.train, ...sides.eval], ({ folded }) => folded)
  const dropped = withoutTurns(lost, turns)
  return {
    train: yield* mapInSteps(sides.train, plan),
    eval: yield* mapInSteps(sides.eval, plan),
    summary: summarize(digests.length, { sides, turns, dropped }),
    droppedIds: byReason((reason) => (dropped.get(reason) ?? []).slice(0, maxShown).map(({ key }) => key.id)),
  }
}

/** The dropped exchanges of each reason. The beginning of a dropped branch may be part of another branch, which is kept. */
function withoutTurns(lost: ReadonlyMap<ExchangeDigest, DropReason>, turns: ReadonlySet<ExchangeDigest>) {
  const dropped = [...lost.keys()].filter((digest) => !turns.has(digest))
  return Map.groupBy(
    dropped.toSorted((a, b) => a.createdAtMs - b.createdAtMs),
    (digest) => lost.get(digest) as DropReason,
  )
}

function byReason<T>(read: (reason: DropReason) => T): Record<DropReason, T> {
  return Object.fromEntries(dropReasons.map((reason) => [reason, read(reason)])) as Record<DropReason, T>
}

/** Drops exchanges with a flaw and duplicates. The oldest of equal exchanges stays. */
function* dropFlawed(
  digests: readonly ExchangeDigest[],
  lost: Map<ExchangeDigest, DropReason>,
): Generator<void, readonly ExchangeDigest[]> {
  const seen = new Set<string>()
  const sound: ExchangeDigest[] = []
  for (const digest of digests) {
    const reason = digest.flaw ?? (seen.has(digest.whole) ? 'duplicate' : null)
    if (reason === null) {
      seen.add(digest.whole)
      sound.push(digest)
    } else lost.set(digest, reason)
    yield
  }
  return sound
}

function* chooseSome(
  conversations: readonly Conversation[],
  { maxExamples = Number.POSITIVE_INFINITY, seed }: CurationOptions,
): Generator<void, ReadonlySet<Conversation>> {
  if (conversations.length <= maxExamples) return new Set(conversations)
  const order = yield* drawOrder(
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
  readonly leakage: Leakage | null
}

/** Splits by families. Dropped exchanges still connect others to one family. */
function* split(
  digests: readonly ExchangeDigest[],
  chosen: readonly Conversation[],
  options: SplitOptions,
): Generator<void, Sides> {
  if (options.holdoutPct === 0) return { train: chosen, eval: [], leaked: [], leakage: null }
  const familyOf = yield* findFamilies(digests)
  const families = yield* mapInSteps(chosen, ({ leaf }) => familyOf(leaf))
  const sizes = new Map<string, number>()
  for (const family of families) sizes.set(family, (sizes.get(family) ?? 0) + 1)
  const held = yield* splitHoldout(sizes, options)
  const isHeld = (_: Conversation, at: number) => held.has(families[at] ?? '')
  const train = chosen.filter((each, at) => !isHeld(each, at))
  const sides = yield* withoutLeaked(chosen.filter(isHeld), train)
  return { train, ...sides, leakage: yield* measureLeakage({ held: sides.eval, train }, options) }
}

/** Families are found with bounded effort, so the held out examples are compared with training once more. */
function* withoutLeaked(
  held: readonly Conversation[],
  train: readonly Conversation[],
): Generator<void, Pick<Sides, 'eval' | 'leaked'>> {
  const trained = yield* distinctInSteps(train, conversationExchanges)
  const likenesses = yield* likenessToTraining(held.map(conversationExchanges), [...trained])
  const isLeaked = (_: Conversation, at: number) => (likenesses[at] ?? 0) >= leakLikeness
  return { eval: held.filter((each, at) => !isLeaked(each, at)), leaked: held.filter(isLeaked) }
}

interface Decided {
  readonly sides: Sides
  /** Exchanges that are an earlier turn of an example. */
  readonly turns: ReadonlySet<ExchangeDigest>
  readonly dropped: ReadonlyMap<DropReason, readonly ExchangeDigest[]>
}

function summarize(matched: number, { sides, turns, dropped }: Decided): CurationSummary {
  const examples = [...sides.train, ...sides.eval]
  return {
    matched,
    kept: examples.length + turns.size,
    dropped: byReason((reason) => dropped.get(reason)?.length ?? 0),
    folded_conversations: examples.filter(({ folded }) => folded.length > 0).length,
    folded_turns: turns.size,
    train_count: sides.train.length,
    eval_count: sides.eval.length,
    leakage: sides.leakage,
  }
}
