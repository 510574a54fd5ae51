import type { SlotPattern } from './instruction-slots.ts'
import type { Layout } from './layout-group.ts'
import type { PromptFrame } from './prompt-frames.ts'

/** Learned for a template that the masks could not unify. A prompt with all these units belongs to the family. */
export interface FamilyPattern {
  /** Position among all patterns of the workspace; the oldest matching pattern wins. */
  readonly order: number
  /** Hashes of the units that must all occur. */
  readonly units: readonly number[]
}

/** Learned from families whose instructions differed in a word or two. */
export interface FamilySlots {
  /** Position among all slots of the workspace; the oldest matching ones win. */
  readonly order: number
  readonly pattern: SlotPattern
  /** Families that had one of the values. Their prompts belong to this family from then on. */
  readonly joined: readonly string[]
}

/** Learned from families whose prompts have lines and sentences in common. */
export interface FamilyLayout {
  /** Position among all layouts of the workspace; the oldest matching one wins. */
  readonly order: number
  readonly layout: Layout
  /** Families whose prompts belong to this family from then on. */
  readonly joined: readonly string[]
}

/** The stored state of a family of one workspace. `id` and `units` never change; the others only grow. */
export interface FamilyState {
  /** `seg_` and 16 hex digits of the SHA-256 of the founding skeleton, so that every process finds the same id. */
  readonly id: string
  /**
   * Readable name: the stable beginning of the founding prompt, at most 80 characters. Empty after all its exchanges were
   * deleted; the next prompt gives it a new one.
   */
  readonly label: string
  /** Hashes of the founding skeleton's units, at most 256; none when the workspace has very many. */
  readonly units: readonly number[]
  /** Prompts that were assigned to it, from 1 to 8; 8 for eight and more. */
  readonly seen: number
  readonly patterns: readonly FamilyPattern[]
  /** Keys of the instructions of its prompts. A new prompt with one of them belongs to the family. */
  readonly tasks?: readonly string[]
  /** Its founding prompt without texts that may be inserted ones. */
  readonly frames?: readonly PromptFrame[]
  /** The instructions of its founding prompt as tokens; none for long ones. */
  readonly lines?: readonly string[]
  /** Instructions in which values vary. A prompt that differs from one of them in its values only belongs to the family. */
  readonly slots?: readonly FamilySlots[]
  /** The lines and sentences of its founding prompt. */
  readonly parts?: readonly string[]
  /** What its prompts have in common where the rest of them is inserted. */
  readonly layouts?: readonly FamilyLayout[]
  /** The release of the rules for `tasks`; absent for the first one. */
  readonly rules?: number
}
