import type { FamilyState } from './family-state.ts'
import type { PromptSkeleton } from './prompt-skeleton.ts'

/** A template whose variable part no mask catches founds so many families of one prompt before it is recognised. */
const SINGLES = 16
/** Tasks come back and free text does not: for each sibling met again there must be so many met once. */
const SINGLES_PER_REPEATED = 3
const LEAST_UNITS = 2
const LEAST_WORDS = 12

/** Families by the units that they contain. */
export interface UnitIndex {
  add(family: FamilyState): void
  familiesWith(unit: number): readonly string[]
}

/** An index without families. */
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

/** The units that a new prompt shares with many families of one prompt each, and the oldest of those; or null. */
export function learnPattern(
  skeleton: PromptSkeleton,
  index: UnitIndex,
  families: ReadonlyMap<string, FamilyState>,
): { familyId: string; units: number[] } | null {
  const shared = skeleton.units.filter((unit) => index.familiesWith(unit.hash).length >= SINGLES)
  const words = shared.reduce((sum, unit) => sum + unit.words, 0)
  if (shared.length < LEAST_UNITS || words < LEAST_WORDS || shared.length === skeleton.units.length) return null
  const units = shared.map((unit) => unit.hash)
  const siblings = familiesWithAll(units, index)
  const singles = siblings.filter((id) => families.get(id)?.seen === 1).length
  const [oldest] = siblings
  if (oldest === undefined || singles < SINGLES || singles < SINGLES_PER_REPEATED * (siblings.length - singles))
    return null
  return { familyId: oldest, units }
}

/** In order of their founding. */
function familiesWithAll(units: readonly number[], index: UnitIndex): string[] {
  const [first = [], ...rest] = units.map((unit) => index.familiesWith(unit)).sort((a, b) => a.length - b.length)
  const others = rest.map((ids) => new Set(ids))
  return first.filter((id) => others.every((ids) => ids.has(id)))
}
