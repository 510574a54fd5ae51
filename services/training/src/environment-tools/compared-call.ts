import { createHash } from 'node:crypto'
import { isObject } from '@ratchet/service-kit/values/json'
import { ordered } from '@ratchet/service-kit/values/ordered'
import type { JsonObject, RecordedSettings } from './environment-tool.ts'

export type Comparison = Pick<RecordedSettings, 'match' | 'keyArguments' | 'ignoreArguments'>

/** What is compared of a call: equal calls have the same text. */
export function comparedText(call: JsonObject, { match, keyArguments, ignoreArguments }: Comparison): string {
  const kept = Object.entries(call).filter(([name]) =>
    keyArguments.length > 0 ? keyArguments.includes(name) : !ignoreArguments.includes(name),
  )
  const value = Object.fromEntries(kept)
  return JSON.stringify(ordered(match === 'exact' ? value : normalized(value)))
}

/** The key of a recording. */
export function keyOfText(compared: string): string {
  return createHash('sha256').update(compared).digest('hex')
}

/** Without what people and models write in different ways: case, white space, members that are null or empty. */
function normalized(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ')
  if (Array.isArray(value)) return value.map(normalized)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, normalized(member)])
  return Object.fromEntries(entries.filter(([, member]) => member !== null && member !== ''))
}

/** The words of a call, for {@link similarity}. A word counts once. */
export function wordsOf(compared: string): ReadonlySet<string> {
  return new Set(compared.slice(0, maxComparedLength).match(/[\p{L}\p{N}]+/gu) ?? [])
}

/** Longer texts are compared by their beginning. */
const maxComparedLength = 4_000
/** Least similarity of a call and the recording that answers it. */
export const minSimilarity = 0.8

/** Share of the words of both that are in each: Jaccard's index, 0 to 1. Two calls without words are equal. */
export function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  const all = a.size + b.size - shared
  return all === 0 ? 1 : shared / all
}

/**
 * Finds the most similar of these sets of words, the first of equals; null when none is similar enough. A similar set has at least
 * one of the rarest words of what is looked for, so only sets with one of those are compared.
 */
export function createNearest(sets: readonly ReadonlySet<string>[]): (words: ReadonlySet<string>) => number | null {
  const holders = new Map<string, number[]>()
  for (const [index, words] of sets.entries()) {
    for (const word of words) {
      const list = holders.get(word)
      if (list === undefined) holders.set(word, [index])
      else list.push(index)
    }
  }
  const holdersOf = (word: string): readonly number[] => holders.get(word) ?? []
  return (words) => {
    if (words.size === 0) return indexOrNull(sets.findIndex(({ size }) => size === 0))
    const rarest = [...words].sort((a, b) => holdersOf(a).length - holdersOf(b).length)
    const mayMiss = words.size - Math.ceil(minSimilarity * words.size)
    let best: Found | null = null
    for (const index of new Set(rarest.slice(0, mayMiss + 1).flatMap(holdersOf))) {
      const found = similarity(words, sets[index] ?? new Set())
      if (found < minSimilarity || (best !== null && !isBetter({ index, similarity: found }, best))) continue
      best = { index, similarity: found }
    }
    return best?.index ?? null
  }
}

interface Found {
  readonly index: number
  readonly similarity: number
}

function isBetter(found: Found, best: Found): boolean {
  return found.similarity > best.similarity || (found.similarity === best.similarity && found.index < best.index)
}

function indexOrNull(index: number): number | null {
  return index === -1 ? null : index
}
