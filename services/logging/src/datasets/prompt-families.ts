import { createAlikePrompts, nearestLikeness, stepSize } from './alike-prompts.ts'
import { askedKey, type ExchangeDigest } from './digest-exchange.ts'
import { distinctInSteps } from './in-steps.ts'
import { kinshipGroups } from './kinship-groups.ts'
import { likeness, type PromptSketch } from './prompt-sketch.ts'

/** Names the family of an exchange. Families are never divided by a split. */
export type FamilyOf = (digest: ExchangeDigest) => string

/** Prompts so alike are of one family. The first is used unless most exchanges would become one family. */
const likenesses = [0.5, 0.6, 0.7, 0.8]
/** A family with more of the exchanges leaves too little to hold out. */
const maxFamilyShare = 0.5

/**
 * Finds families of exchanges: those of one conversation, one trace or one beginning, and those whose questions are
 * alike, directly or through others. Yields from time to time.
 */
export function* findFamilies(digests: readonly ExchangeDigest[]): Generator<void, FamilyOf> {
  const kinships = digests.map(({ kinship }) => kinship)
  const prompts = yield* distinctPrompts(digests)
  let familyOf: FamilyOf = ({ kinship: [key] }) => key
  for (const least of likenesses) {
    const pairs = yield* alikePairs(prompts, least)
    const groupOf = yield* kinshipGroups([...kinships, ...pairs])
    familyOf = ({ kinship: [key] }) => groupOf(key)
    if ((yield* largestShare(digests, familyOf)) <= maxFamilyShare) break
  }
  return familyOf
}

function* largestShare(digests: readonly ExchangeDigest[], familyOf: FamilyOf): Generator<void, number> {
  const sizes = new Map<string, number>()
  let largest = 0
  for (const digest of digests) {
    const family = familyOf(digest)
    const size = (sizes.get(family) ?? 0) + 1
    sizes.set(family, size)
    largest = Math.max(largest, size)
    yield
  }
  return largest / Math.max(1, digests.length)
}

/** The distinct prompts of the exchanges. Yields from time to time. */
export function* distinctPrompts(digests: readonly ExchangeDigest[]): Generator<void, readonly PromptSketch[]> {
  const prompts = new Map<string, PromptSketch>()
  for (const { asked } of digests) {
    for (const sketch of asked) prompts.set(sketch.id, sketch)
    yield
  }
  return [...prompts.values()]
}

function* alikePairs(prompts: readonly PromptSketch[], least: number): Generator<void, readonly (readonly string[])[]> {
  const index = yield* createAlikePrompts(
    prompts.map(({ hashes }) => hashes),
    least,
  )
  const pairs: (readonly string[])[] = []
  for (const [at, { id, hashes }] of prompts.entries()) {
    for (const other of index.candidates(hashes)) {
      const found = prompts[other]
      if (found !== undefined && likeness(hashes, found.hashes) >= least) pairs.push([askedKey(id), askedKey(found.id)])
    }
    index.add(hashes, at)
    if (at % stepSize === 0) yield
  }
  return pairs
}

/** A held out prompt that is so alike to one of training measures memory instead of skill. */
export const leakLikeness = 0.8

/** For each group of held out exchanges, its likeness to the prompt of training that is nearest. Yields as well. */
export function* likenessToTraining(
  held: readonly (readonly ExchangeDigest[])[],
  train: readonly ExchangeDigest[],
): Generator<void, readonly number[]> {
  const trained = yield* distinctPrompts(train)
  const trainedIds = new Set(trained.map(({ id }) => id))
  const trainedKeys = yield* distinctInSteps(train, ({ promptKey }) => [promptKey])
  const prompts = yield* distinctPrompts(held.flat())
  const nearest = yield* nearestLikeness(
    prompts.map(({ hashes }) => hashes),
    trained.map(({ hashes }) => hashes),
    leakLikeness / 2,
  )
  const byId = new Map(prompts.map(({ id }, at) => [id, trainedIds.has(id) ? 1 : (nearest[at] ?? 0)]))
  const likenesses: number[] = []
  for (const digests of held) {
    likenesses.push(digests.some(({ promptKey }) => trainedKeys.has(promptKey)) ? 1 : nearestOf(digests, byId))
    yield
  }
  return likenesses
}

function nearestOf(digests: readonly ExchangeDigest[], byId: ReadonlyMap<string, number>): number {
  return digests.flatMap(({ asked }) => asked.map(({ id }) => byId.get(id) ?? 0)).reduce((a, b) => Math.max(a, b), 0)
}
