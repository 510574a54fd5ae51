import type { FamilyJoins } from './family-joins.ts'
import type { FamilyState } from './family-state.ts'
import type { OwnedPattern } from './family-store.ts'
import type { FrameIndex } from './frame-index.ts'
import { differInTasks } from './layout-group.ts'
import type { LayoutIndex } from './layout-index.ts'
import { learnPattern, type UnitIndex } from './learn-pattern.ts'
import type { PromptSkeleton } from './prompt-skeleton.ts'
import type { SlotIndex } from './slot-index.ts'

const MAX_PATTERNS = 256

export interface LearningDeps {
  readonly families: ReadonlyMap<string, FamilyState>
  readonly index: UnitIndex
  readonly frames: FrameIndex
  readonly slots: SlotIndex
  readonly layouts: LayoutIndex
  readonly joins: FamilyJoins
  /** The oldest one first. */
  readonly patterns: () => readonly OwnedPattern[]
}

/** What a prompt that no family has shows about those that are known. It changes nothing. */
export function createFamilyLearning({ families, index, frames, slots, layouts, joins, patterns }: LearningDeps) {
  const mixesTasks = (skeleton: PromptSkeleton, siblings: readonly string[]) =>
    differInTasks(
      skeleton.parts(),
      siblings.flatMap((id) => {
        const { parts = [] } = families.get(id) ?? {}
        return parts.length === 0 ? [] : [parts]
      }),
    )
  return {
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
    /** The layout that the prompt completes, and the family that gets it; null for none. */
    laidOut(skeleton: PromptSkeleton) {
      const learned = layouts.learn(skeleton.parts())
      const family = learned === null ? undefined : families.get(joins.resolve(learned.familyId))
      return learned === null || family === undefined ? null : { family, layout: learned.layout }
    },
    /** The pattern that the prompt completes, and its family; null for none. */
    learnable(skeleton: PromptSkeleton) {
      const pattern = patterns().length < MAX_PATTERNS ? learnPattern(skeleton, index, families) : null
      if (pattern !== null && mixesTasks(skeleton, pattern.siblings)) return null
      const family = pattern === null ? undefined : families.get(pattern.familyId)
      if (pattern === null || family === undefined) return null
      return { family, pattern: { order: (patterns().at(-1)?.order ?? 0) + 1, units: pattern.units } }
    },
  }
}
