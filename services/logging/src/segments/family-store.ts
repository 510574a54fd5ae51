import type { FamilyPattern, FamilyState } from './family-state.ts'
import { createFrameIndex } from './frame-index.ts'
import { createUnitIndex, learnPattern } from './learn-pattern.ts'
import type { PromptSkeleton } from './prompt-skeleton.ts'
import { createSlotIndex } from './slot-index.ts'

const MAX_PATTERNS = 256
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
  const slots = createSlotIndex()
  let unitCount = 0
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
    }
    slots.absorb(family)
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
    get frameCount() {
      return frames.size
    },
    /** Frames that the families may still have. */
    get framesLeft() {
      return Math.max(0, MAX_FRAMES - frames.size)
    },
    /** The family that another one has joined, or its own id. */
    resolve: slots.resolve,
    /** The family whose slots the prompt matches. */
    slotted: (skeleton: PromptSkeleton) => slots.match(skeleton.lines()),
    absorb,
    change(family: FamilyState) {
      absorb(family)
      return family
    },
    /** The family whose inserted text the prompt shows to vary, and the key of the instructions around it; null for none. */
    opened(skeleton: PromptSkeleton) {
      const opened = frames.opened(skeleton.frames())
      const family = opened === null ? undefined : families.get(opened.familyId)
      return opened === null || family === undefined ? null : { family, key: opened.key }
    },
    /** The slots that the prompt completes, and the family that gets them; null for none. */
    varied(skeleton: PromptSkeleton) {
      const learned = slots.learn(skeleton.lines())
      const family = learned === null ? undefined : families.get(learned.familyId)
      return learned === null || family === undefined ? null : { family, slots: learned.slots }
    },
    /** The pattern that the prompt completes, and its family; null for none. */
    learnable(skeleton: PromptSkeleton) {
      const pattern = patterns.length < MAX_PATTERNS ? learnPattern(skeleton, index, families) : null
      const family = pattern === null ? undefined : families.get(pattern.familyId)
      if (pattern === null || family === undefined) return null
      return { family, pattern: { order: (patterns.at(-1)?.order ?? 0) + 1, units: pattern.units } }
    },
  }
}
