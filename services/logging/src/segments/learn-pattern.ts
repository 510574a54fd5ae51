import type { FamilyState } from './family-state.ts'
import type { PromptSkeleton, SkeletonUnit } from './prompt-skeleton.ts'

/** A template whose variable part no mask matches founds so many families of one prompt before it is recognized. */
const SINGLES = 12
/** Fewer families suffice when the varying parts may be inserted text anyway. */
const DOUBTFUL_SINGLES = 6
/** Tasks recur and free text does not: for each sibling with several prompts there must be so many with one. */
const SINGLES_PER_REPEATED = 3
/** A unit that so many siblings share and the new prompt lacks is part of their task. */
const COMMON_SHARE = 0.5
const MIN_UNITS = 2
const MIN_WORDS = 12
/** Maximum number of siblings that are compared, the oldest first: a template gets its pattern before it has so many. */
const MAX_SIBLINGS = 100

/** An index of family ids by unit. */
export interface UnitIndex {
  add(family: FamilyState): void
  familiesWith(unit: number): readonly string[]
}

export function createUnitIndex(): UnitIndex {
  const families = new Map<number, string[]>()
  return {
    add({ id, units }) {
      for (const unit of units) {
        const known = families.get(unit)
        if (known === undefined) families.set(unit, [id])
        else known.push(id)
      }
    },
    familiesWith: (unit) => families.get(unit) ?? [],
  }
}

/**
 * Finds the units that a new prompt shares with many families of one prompt each, and the oldest of these families; or
 * null.
 */
export function learnPattern(
  skeleton: PromptSkeleton,
  index: UnitIndex,
  families: ReadonlyMap<string, FamilyState>,
): { familyId: string; units: number[]; siblings: readonly string[] } | null {
  const shared = skeleton.units.filter((unit) => index.familiesWith(unit.hash).length >= DOUBTFUL_SINGLES)
  const words = shared.reduce((sum, unit) => sum + unit.words, 0)
  if (shared.length < MIN_UNITS || words < MIN_WORDS || shared.length === skeleton.units.length) return null
  if (!holdInstructions(shared, skeleton)) return null
  const units = new Set(shared.map((unit) => unit.hash))
  const varying = skeleton.units.filter((unit) => !units.has(unit.hash))
  const needed = varying.every((unit) => unit.doubtful) ? DOUBTFUL_SINGLES : SINGLES
  const siblings = familiesWithAll(units, index, families)
  const singles = siblings.filter((id) => families.get(id)?.seen === 1).length
  const [oldest] = siblings
  if (oldest === undefined || singles < needed || singles < SINGLES_PER_REPEATED * (siblings.length - singles))
    return null
  if (haveMoreInCommon(siblings, units, families)) return null
  return { familyId: oldest, units: [...units], siblings }
}

/** Sentences that many texts of several applications share make no application. */
function holdInstructions(shared: readonly SkeletonUnit[], { units }: PromptSkeleton): boolean {
  if (units.some(({ instructs }) => instructs)) return shared.some(({ instructs }) => instructs)
  return shared.includes(units[0] as SkeletonUnit)
}

/** The oldest families that contain all units, in the order of their founding. */
function familiesWithAll(
  units: ReadonlySet<number>,
  index: UnitIndex,
  families: ReadonlyMap<string, FamilyState>,
): string[] {
  const fewest = [...units].map((unit) => index.familiesWith(unit)).reduce((a, b) => (b.length < a.length ? b : a))
  // The units of a family are distinct, so that it has all of them when it has as many.
  const hasAll = (id: string) => families.get(id)?.units.filter((unit) => units.has(unit)).length === units.size
  const siblings: string[] = []
  for (const id of fewest) {
    if (siblings.length >= MAX_SIBLINGS) break
    if (hasAll(id)) siblings.push(id)
  }
  return siblings
}

function haveMoreInCommon(
  siblings: readonly string[],
  shared: ReadonlySet<number>,
  families: ReadonlyMap<string, FamilyState>,
): boolean {
  const counts = new Map<number, number>()
  for (const id of siblings) {
    for (const unit of families.get(id)?.units ?? []) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  }
  for (const unit of shared) counts.delete(unit)
  return [...counts.values()].some((count) => count > siblings.length * COMMON_SHARE)
}
