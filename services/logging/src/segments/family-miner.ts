import type { FamilyPattern, FamilyState } from './family-state.ts'
import { createUnitIndex, learnPattern } from './learn-pattern.ts'
import { normalizeWhitespace } from './normalize-whitespace.ts'
import { type PromptSkeleton, promptSkeleton } from './prompt-skeleton.ts'
import { createRecentMap } from './recent-map.ts'
import { hashNormalized, NO_SEGMENT } from './segment-exact.ts'

/** The family of all new prompts after a workspace has reached its maximum number of families. */
export const OVERFLOW_FAMILY = 'seg_other'

const MAX_UNITS = 256
const MAX_PATTERNS = 256

export interface FamilyMinerOptions {
  /** Maximum number of families of a workspace. Further new prompts belong to `seg_other`. */
  readonly maxFamilies?: number
  /** Size of the cache of families by exact prompt. It does not change results. */
  readonly rememberedPrompts?: number
}

export interface Assignment {
  /** The segment: a family's id, `none` without a prompt, or `seg_other`. */
  readonly familyId: string
  /** The exact variant: `segmentExact` of the prompt. */
  readonly exact: string
  /** This prompt founded the family. */
  readonly isNew: boolean
  /** The changed family, which must be stored before another process assigns prompts; null when nothing changed. */
  readonly changed: FamilyState | null
}

export interface FamilyMiner {
  /** Finds or founds the family of a system prompt. Never throws. */
  assign(systemPrompt: string): Assignment
  /** Adds or updates a family that another process stored. */
  absorb(family: FamilyState): void
}

/**
 * Finds the families of one workspace's system prompts one by one. A family is identified by the skeleton of its
 * prompts, which is the prompt without its variable parts. Where the masks miss a variable part, a template founds many
 * families of one prompt each, and a pattern is learned from these. An assignment never changes later: skeletons have
 * precedence over patterns, older patterns over newer ones, and neither is ever removed.
 *
 * @param known the families as stored, in the order of their founding
 */
export function createFamilyMiner(known: readonly FamilyState[], options: FamilyMinerOptions = {}): FamilyMiner {
  const { maxFamilies = 10_000, rememberedPrompts = 10_000 } = options
  const families = new Map<string, FamilyState>()
  const index = createUnitIndex()
  const recent = createRecentMap<string>(rememberedPrompts)
  let patterns: (FamilyPattern & { familyId: string })[] = []

  const absorb = (family: FamilyState) => {
    const before = families.get(family.id)
    families.set(family.id, family)
    if (before === undefined) index.add(family)
    if (family.patterns.length === (before?.patterns.length ?? 0)) return
    const others = patterns.filter(({ familyId }) => familyId !== family.id)
    patterns = [...others, ...family.patterns.map((pattern) => ({ ...pattern, familyId: family.id }))]
    patterns.sort((a, b) => a.order - b.order)
  }
  const change = (family: FamilyState) => {
    absorb(family)
    return family
  }
  const meet = (familyId: string) => {
    const family = families.get(familyId)
    return family === undefined || family.seen === 2 ? null : change({ ...family, seen: 2 })
  }
  const found = (skeleton: PromptSkeleton) => {
    if (families.size >= maxFamilies) return { familyId: OVERFLOW_FAMILY, isNew: false, changed: null }
    const pattern = patterns.length < MAX_PATTERNS ? learnPattern(skeleton, index, families) : null
    const family = pattern === null ? undefined : families.get(pattern.familyId)
    if (pattern !== null && family !== undefined) {
      const learned = { order: (patterns.at(-1)?.order ?? 0) + 1, units: pattern.units }
      return {
        familyId: family.id,
        isNew: false,
        changed: change({ ...family, patterns: [...family.patterns, learned] }),
      }
    }
    return { familyId: skeleton.familyId, isNew: true, changed: change(founded(skeleton)) }
  }
  const place = (text: string, exact: string) => {
    const remembered = recent.get(exact)
    if (remembered !== undefined) return { familyId: remembered, isNew: false, changed: meet(remembered) }
    const skeleton = promptSkeleton(text)
    const familyId = families.has(skeleton.familyId) ? skeleton.familyId : matchPattern(skeleton, patterns)
    return familyId === null ? found(skeleton) : { familyId, isNew: false, changed: meet(familyId) }
  }

  for (const family of known) absorb(family)
  return {
    absorb,
    assign(systemPrompt) {
      const text = normalizeWhitespace(systemPrompt)
      const exact = hashNormalized(text)
      if (exact === NO_SEGMENT) return { familyId: NO_SEGMENT, exact, isNew: false, changed: null }
      const placed = place(text, exact)
      recent.set(exact, placed.familyId)
      return { ...placed, exact }
    },
  }
}

function founded(skeleton: PromptSkeleton): FamilyState {
  const units = skeleton.units.slice(0, MAX_UNITS).map((unit) => unit.hash)
  return { id: skeleton.familyId, label: skeleton.label(), units, seen: 1, patterns: [] }
}

function matchPattern(
  skeleton: PromptSkeleton,
  patterns: readonly (FamilyPattern & { familyId: string })[],
): string | null {
  if (patterns.length === 0) return null
  const units = new Set(skeleton.units.map((unit) => unit.hash))
  return patterns.find((pattern) => pattern.units.every((unit) => units.has(unit)))?.familyId ?? null
}
