import type { FamilyJoins } from './family-joins.ts'
import type { FamilySlots, FamilyState } from './family-state.ts'
import {
  type Difference,
  differenceOf,
  matchSlots,
  patternOf,
  type SlotPattern,
  storedLines,
  type TokenLines,
  tokenLines,
} from './instruction-slots.ts'

/** A family with so many prompts remains: it does not join another one. */
export const ESTABLISHED = 8
/** Longer instructions are not compared. */
const MAX_LINES = 24
const MAX_WORDS = 400
/** Families that are compared, the latest ones. */
const MAX_KNOWN = 2_000
/** Families with a line in common that are compared, the latest ones. */
const MAX_ALIKE = 64
const MAX_SLOTS = 1_000
/** Words at an end of a line by which lines with a value are found. */
const END_WORDS = 3
/** Fewer words of a shorter line: where spaces stand between phrases, a word is a phrase. */
const SHORT_LINE = 8

interface OwnedSlots extends FamilySlots {
  readonly familyId: string
}

/** What a new prompt shows to vary. */
export interface LearnedSlots {
  /** The oldest family with such instructions. */
  readonly familyId: string
  readonly slots: FamilySlots
}

/** Finds words that vary in instructions, and the families that have them. */
export interface SlotIndex {
  absorb(family: FamilyState): void
  /** The family whose slots a prompt matches; null for none. @param lines of the prompt */
  match(lines: readonly string[]): string | null
  /** The slots that a prompt completes, which nothing matches; null for none. @param lines of the prompt */
  learn(lines: readonly string[]): LearnedSlots | null
}

/** The lines of a founding prompt as they are stored; none for instructions that are too long. */
export function sketchOf(lines: readonly string[]): readonly string[] {
  const words = lines.reduce((sum, line) => sum + line.split(' ').length, 0)
  if (lines.length > MAX_LINES || words > MAX_WORDS) return []
  return tokenLines(lines).lines.map((tokens) => tokens.join(' '))
}

/** @param joins which it adds to */
export function createSlotIndex(joins: FamilyJoins): SlotIndex {
  const known = new Map<string, TokenLines>()
  const byPart = new Map<string, string[]>()
  const established = new Set<string>()
  /** In the order of their founding. */
  const places = new Map<string, number>()
  let learned: readonly OwnedSlots[] = []

  const remember = (id: string, lines: TokenLines) => {
    known.set(id, lines)
    places.set(id, places.size)
    for (const part of partsOf(lines)) byPart.set(part, [...(byPart.get(part) ?? []).slice(1 - MAX_ALIKE), id])
    const [oldest] = known.keys()
    if (known.size > MAX_KNOWN && oldest !== undefined) forget(oldest)
  }
  const forget = (id: string) => {
    for (const part of partsOf(known.get(id))) {
      const rest = (byPart.get(part) ?? []).filter((other) => other !== id)
      if (rest.length === 0) byPart.delete(part)
      else byPart.set(part, rest)
    }
    known.delete(id)
  }
  const alike = (lines: TokenLines) => {
    const ids = new Set(partsOf(lines).flatMap((part) => byPart.get(part) ?? []))
    return [...ids].sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0))
  }

  return {
    absorb({ id, lines = [], slots = [], seen }) {
      if (lines.length > 0 && !known.has(id) && !joins.has(id)) remember(id, storedLines(lines))
      if (seen >= ESTABLISHED) established.add(id)
      if (slots.length === learned.filter(({ familyId }) => familyId === id).length) return
      const own = slots.map((each) => ({ ...each, familyId: id }))
      learned = [...learned.filter(({ familyId }) => familyId !== id), ...own].sort((a, b) => a.order - b.order)
      for (const { joined } of slots) {
        for (const other of joined) {
          joins.add(other, id)
          forget(other)
        }
      }
    },
    match(lines) {
      if (learned.length === 0 || lines.length > MAX_LINES) return null
      const tokens = tokenLines(lines)
      const found = learned.find(({ pattern }) => matchSlots(pattern, tokens) !== null)
      return found === undefined ? null : joins.resolve(found.familyId)
    },
    learn(lines) {
      if (learned.length >= MAX_SLOTS || sketchOf(lines).length === 0) return null
      const tokens = tokenLines(lines)
      const others = alike(tokens).flatMap((id): KnownFamily[] => {
        const own = known.get(id)
        return own === undefined ? [] : [{ id, lines: own, isEstablished: established.has(id) }]
      })
      for (const { pattern, needed } of patternsOf(lines, tokens, others)) {
        const [owner, ...joined] = varyingFamilies(pattern, needed, tokens, others)
        if (owner === undefined) continue
        return { familyId: owner, slots: { order: (learned.at(-1)?.order ?? 0) + 1, pattern, joined } }
      }
      return null
    },
  }
}

export interface KnownFamily {
  readonly id: string
  readonly lines: TokenLines
  readonly isEstablished: boolean
}

/** The patterns in which a prompt differs from other families, those with the fewest gaps first. */
export function patternsOf(lines: readonly string[], tokens: TokenLines, others: readonly KnownFamily[]) {
  const differences = new Map<string, Difference>()
  for (const other of others) {
    const difference = differenceOf(tokens, other.lines)
    if (difference !== null) differences.set(JSON.stringify(difference), difference)
  }
  return [...differences.values()]
    .sort((a, b) => a.flat().length - b.flat().length)
    .flatMap((difference) => patternOf(lines, difference) ?? [])
}

/**
 * The families that match a pattern, the one first that the others join; none when a gap has too few different values. Of those that
 * remain as they are, because they have many prompts, only the oldest counts: several of them are several applications.
 *
 * @param families the oldest one first
 */
export function varyingFamilies(
  pattern: SlotPattern,
  needed: readonly number[],
  tokens: TokenLines,
  families: readonly KnownFamily[],
): readonly string[] {
  const own = matchSlots(pattern, tokens)
  const matching = families.flatMap(({ id, lines, isEstablished }) => {
    const values = matchSlots(pattern, lines)
    return values === null ? [] : [{ id, values, isEstablished }]
  })
  const remaining = matching.filter(({ isEstablished }) => isEstablished).slice(0, 1)
  const joining = matching.filter(({ isEstablished }) => !isEstablished)
  const all = [...remaining, ...joining]
  const isVaried = needed.every(
    (count, gap) => new Set([own?.[gap], ...all.map(({ values }) => values[gap])]).size >= count,
  )
  return own !== null && isVaried ? all.map(({ id }) => id) : []
}

/** By one of these a prompt is found that differs in values only: its lines, or the ends of few ones. */
function partsOf(read: TokenLines | undefined): readonly string[] {
  const { lines, hashes } = read ?? { lines: [], hashes: [] }
  return lines.flatMap((line, index) => {
    const place = `${lines.length} ${index}`
    const whole = `${place} ${hashes[index]}`
    if (lines.length > END_WORDS) return [whole]
    const size = line.length < SHORT_LINE ? END_WORDS - 1 : END_WORDS
    return [whole, `${place}<${line.slice(0, size).join(' ')}`, `${place}>${line.slice(-size).join(' ')}`]
  })
}
