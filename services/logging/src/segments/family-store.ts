import { createFamilyJoins } from './family-joins.ts'
import { createFamilyLearning } from './family-learning.ts'
import type { FamilyPattern, FamilyState } from './family-state.ts'
import { createFrameIndex } from './frame-index.ts'
import { createLayoutIndex } from './layout-index.ts'
import { createUnitIndex } from './learn-pattern.ts'
import type { PromptSkeleton } from './prompt-skeleton.ts'
import { createSlotIndex, ESTABLISHED } from './slot-index.ts'

/** Frames of a workspace's families, about 20 MB. */
const MAX_FRAMES = 100_000

export type FamilyStore = ReturnType<typeof createFamilyStore>

export interface OwnedPattern extends FamilyPattern {
  readonly familyId: string
}

/** The oldest pattern is first. */
function replacePatterns(patterns: readonly OwnedPattern[], family: FamilyState): readonly OwnedPattern[] {
  const others = patterns.filter(({ familyId }) => familyId !== family.id)
  const own = family.patterns.map((pattern) => ({ ...pattern, familyId: family.id }))
  return [...others, ...own].sort((a, b) => a.order - b.order)
}

/** The families of a workspace, and what they are recognized by. */
export function createFamilyStore(maxUnits: number) {
  const families = new Map<string, FamilyState>()
  const byTask = new Map<string, string>()
  const index = createUnitIndex()
  const frames = createFrameIndex()
  const joins = createFamilyJoins()
  const slots = createSlotIndex(joins)
  const layouts = createLayoutIndex((id) => (families.get(id)?.seen ?? 0) >= ESTABLISHED)
  let unitCount = 0
  let partCount = 0
  let patterns: readonly OwnedPattern[] = []
  const absorb = (stored: FamilyState) => {
    const before = families.get(stored.id)
    // An earlier release stored more units of a workspace.
    const fits = before !== undefined || unitCount + stored.units.length <= maxUnits
    const family = fits ? stored : { ...stored, units: [] }
    families.set(family.id, family)
    if (before === undefined) {
      index.add(family)
      if (frames.size < MAX_FRAMES) frames.add(family)
      unitCount += family.units.length
      partCount += family.parts?.length ?? 0
    }
    slots.absorb(family)
    layouts.absorb(family)
    for (const { joined } of family.layouts ?? []) for (const other of joined) joins.add(other, family.id)
    for (const task of family.tasks ?? []) if (!byTask.has(task)) byTask.set(task, family.id)
    if (family.patterns.length === (before?.patterns.length ?? 0)) return
    patterns = replacePatterns(patterns, family)
  }
  return {
    families: families as ReadonlyMap<string, FamilyState>,
    byTask: byTask as ReadonlyMap<string, string>,
    get patterns() {
      return patterns
    },
    get unitCount() {
      return unitCount
    },
    /** Lines and sentences of all founding prompts. */
    get partCount() {
      return partCount
    },
    get frameCount() {
      return frames.size
    },
    /** Frames that the families may still have. */
    get framesLeft() {
      return Math.max(0, MAX_FRAMES - frames.size)
    },
    /** The family that another one has joined, or its own id. */
    resolve: joins.resolve,
    /** The family whose slots the prompt matches. */
    slotted: (skeleton: PromptSkeleton) => slots.match(skeleton.lines()),
    /** The family whose layout the prompt has. */
    withLayout: (skeleton: PromptSkeleton) => layouts.match(skeleton.parts()),
    absorb,
    change(family: FamilyState) {
      absorb(family)
      return family
    },
    ...createFamilyLearning({ families, index, frames, slots, layouts, joins, patterns: () => patterns }),
  }
}
