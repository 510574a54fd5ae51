import type { PromptFrame } from './prompt-frames.ts'
import type { LayoutPart } from './prompt-layout.ts'
import { promptSkeleton, type SkeletonUnit } from './prompt-skeleton.ts'

/** A skeleton whose parts are all computed, as it passes from the thread. */
export interface ReadSkeleton {
  readonly familyId: string
  readonly units: readonly SkeletonUnit[]
  readonly label: string
  readonly taskKeys: readonly string[]
  readonly ownerKey: string | null
  readonly frames: readonly PromptFrame[]
  readonly lines: readonly string[]
  readonly parts: readonly LayoutPart[]
}

/** Runs in the thread. */
export function readSkeleton(text: string): ReadSkeleton {
  const { familyId, units, label, taskKeys, ownerKey, frames, lines, parts } = promptSkeleton(text)
  return {
    familyId,
    units,
    label: label(),
    taskKeys: taskKeys(),
    ownerKey: ownerKey(),
    frames: frames(),
    lines: lines(),
    parts: parts(),
  }
}
