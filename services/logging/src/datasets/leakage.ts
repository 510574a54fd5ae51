import { wilsonInterval } from '@ratchet/stats/wilson-interval'
import { type Conversation, conversationExchanges } from './fold-exchanges.ts'
import { distinctInSteps, mapInSteps } from './in-steps.ts'
import { distinctPrompts, leakLikeness } from './prompt-families.ts'
import { likeness, type PromptSketch } from './prompt-sketch.ts'
import { drawOrder } from './split-holdout.ts'

/** How much the held out examples resemble training. */
export interface Leakage {
  /** Share of the compared examples with a prompt that is at least {@link leakLikeness} like one of training. */
  readonly share: number
  /** 95 % interval of the share of all held out examples, 0 to 1; null when all were compared. */
  readonly share_ci: [low: number, high: number] | null
  /** Number of held out examples that were compared: all, or a random sample. */
  readonly compared: number
  /** Likeness of the compared example that is nearest to training, 0 to 1. */
  readonly nearest: number
}

/** Pairs of prompts that are compared. A million takes 0.1 s to 0.3 s. */
const maxPairs = 20_000_000
/** Fewer examples would say little about the share. */
const minCompared = 100

export interface MeasureOptions {
  /** Determines the sample. */
  readonly seed: number
  /** About how many pairs of prompts are compared, but at least those of 100 examples; 20 million when absent. */
  readonly pairs?: number
}

/**
 * Compares held out examples with every prompt of training. It does not use the bounded search by which families are
 * found and examples are dropped, so it finds what that search missed. Of very large sets it compares a random sample.
 * Yields from time to time.
 *
 * @returns null when nothing is held out
 */
export function* measureLeakage(
  { held, train }: { readonly held: readonly Conversation[]; readonly train: readonly Conversation[] },
  { seed, pairs = maxPairs }: MeasureOptions,
): Generator<void, Leakage | null> {
  if (held.length === 0) return null
  const trained = [...(yield* distinctInSteps(train, conversationExchanges))]
  const prompts = yield* distinctPrompts(trained)
  const counts = yield* mapInSteps(held, (each) => promptCount(each))
  const all = counts.reduce((sum, count) => sum + count, 0) * prompts.length
  const size = Math.max(minCompared, Math.floor((held.length * pairs) / Math.max(1, all)))
  const some = yield* drawSome(held, { size, seed })
  const nearest = yield* nearestEach(some, { trained, prompts })
  const leaked = nearest.filter((each) => each >= leakLikeness).length
  const ci = some.length === held.length ? null : wilsonInterval(leaked, some.length)
  return {
    share: leaked / some.length,
    share_ci: ci === null ? null : [ci.low, ci.high],
    compared: some.length,
    nearest: nearest.reduce((a, b) => Math.max(a, b), 0),
  }
}

function promptCount(conversation: Conversation): number {
  return conversationExchanges(conversation).reduce((sum, { asked }) => sum + asked.length, 0)
}

function* drawSome(
  held: readonly Conversation[],
  { size, seed }: { readonly size: number; readonly seed: number },
): Generator<void, readonly Conversation[]> {
  if (held.length <= size) return held
  const order = yield* drawOrder(
    held.map(({ leaf }) => leaf.whole),
    seed,
  )
  const drawn = new Set(order.slice(0, size))
  return held.filter(({ leaf }) => drawn.has(leaf.whole))
}

interface Training {
  readonly trained: Parameters<typeof distinctPrompts>[0]
  readonly prompts: readonly PromptSketch[]
}

/** Likeness of each example to training. One that is neither the nearest nor at {@link leakLikeness} may be too low. */
function* nearestEach(
  some: readonly Conversation[],
  { trained, prompts }: Training,
): Generator<void, readonly number[]> {
  const asked = yield* distinctPrompts(some.flatMap(conversationExchanges))
  const found = yield* nearestPrompts(asked, prompts)
  const byId = new Map(asked.map(({ id }, at) => [id, found[at] ?? 0]))
  const keys = yield* distinctInSteps(trained, ({ promptKey }) => [promptKey])
  return yield* mapInSteps(some, (conversation) => {
    const own = conversationExchanges(conversation)
    if (own.some(({ promptKey }) => keys.has(promptKey))) return 1
    return own.flatMap(({ asked: of }) => of).reduce((most, { id }) => Math.max(most, byId.get(id) ?? 0), 0)
  })
}

const none: readonly number[] = []

/**
 * The likeness of each prompt to the nearest of `others`, from counts of the hashes in common: of two prompts with a
 * likeness, at least that share of the hashes of the larger sketch is common.
 */
function* nearestPrompts(
  asked: readonly PromptSketch[],
  others: readonly PromptSketch[],
): Generator<void, Float64Array> {
  const owners = yield* ownersOfHashes(asked)
  const found = new Float64Array(asked.length)
  const common = new Uint8Array(asked.length)
  let nearest = 0
  for (const { hashes } of others) {
    common.fill(0)
    for (const hash of hashes) for (const at of owners.get(hash) ?? none) common[at] = (common[at] ?? 0) + 1
    const enough = Math.max(1, Math.floor(Math.min(nearest, leakLikeness) * hashes.length))
    for (let at = 0; at < common.length; at++) {
      if ((common[at] ?? 0) < enough) continue
      const value = likeness(hashes, asked[at]?.hashes ?? hashes)
      found[at] = Math.max(found[at] ?? 0, value)
      nearest = Math.max(nearest, value)
    }
    yield
  }
  return found
}

function* ownersOfHashes(asked: readonly PromptSketch[]): Generator<void, ReadonlyMap<number, readonly number[]>> {
  const owners = new Map<number, number[]>()
  for (const [at, { hashes }] of asked.entries()) {
    for (const hash of hashes) {
      const known = owners.get(hash)
      if (known === undefined) owners.set(hash, [at])
      else known.push(at)
    }
    yield
  }
  return owners
}
