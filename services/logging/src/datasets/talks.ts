import type { ExchangeDigest } from './digest-exchange.ts'

/** Exchanges by their talk, for finding the one that a later exchange continues. */
export interface Talks {
  /** Adds the exchange at a place of the list. Places must ascend. */
  add(place: number): void
  /** The exchange with the talk that is the latest one before the leaf, or else the first one after it. */
  before(leaf: ExchangeDigest, talk: string): ExchangeDigest | undefined
}

/** Places in the list, ascending. */
interface Talk {
  readonly distinctive: number[]
  readonly byThread: Map<string, number[]>
}

/**
 * A short talk, such as a greeting, occurs in several conversations, so that it is found only in a thread of the leaf.
 *
 * @param digests the oldest first
 */
export function createTalks(digests: readonly ExchangeDigest[]): Talks {
  const talks = new Map<string, Talk>()
  const timeAt = (place: number) => digests[place]?.createdAtMs ?? Number.POSITIVE_INFINITY

  /** The last place until the time that is not the leaf's, and the first of all. */
  function ends(places: readonly number[], leaf: ExchangeDigest) {
    const isOther = (place: number | undefined) => place !== undefined && digests[place] !== leaf
    const after = countUntil(places, leaf.createdAtMs, timeAt)
    const last = [places[after - 1], places[after - 2]].find(isOther)
    const first = [places[0], places[1]].find(isOther)
    return { last, first }
  }

  return {
    add(place) {
      const digest = digests[place]
      if (digest === undefined) return
      const { talk, isDistinctive, threads } = digest
      const { distinctive, byThread } = entryOf(talks, talk, () => ({ distinctive: [], byThread: new Map() }))
      if (isDistinctive) distinctive.push(place)
      for (const thread of new Set(threads)) entryOf(byThread, thread, () => []).push(place)
    },
    before(leaf, talk) {
      const found = talks.get(talk)
      if (found === undefined) return undefined
      const lists = [found.distinctive, ...leaf.threads.map((thread) => found.byThread.get(thread) ?? [])]
      const places = lists.map((list) => ends(list, leaf))
      const lasts = places.flatMap(({ last }) => last ?? [])
      const firsts = places.flatMap(({ first }) => first ?? [])
      return digests[lasts.length > 0 ? Math.max(...lasts) : Math.min(...firsts)]
    },
  }
}

function entryOf<T>(entries: Map<string, T>, key: string, create: () => T): T {
  const known = entries.get(key)
  if (known !== undefined) return known
  const created = create()
  entries.set(key, created)
  return created
}

/** How many of the places have a time until the given one, which they all have before those that are later. */
function countUntil(places: readonly number[], timeMs: number, timeAt: (place: number) => number): number {
  let [from, to] = [0, places.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (timeAt(places[middle] ?? 0) <= timeMs) from = middle + 1
    else to = middle
  }
  return from
}
