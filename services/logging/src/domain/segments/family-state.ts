/** Several prompts of one template that no mask could unify: whoever contains all these units belongs to the family. */
export interface FamilyPattern {
  /** Position among all the patterns of the workspace: an older pattern wins. */
  readonly order: number
  /** Hashes of the units that must all occur. */
  readonly units: readonly number[]
}

/** What is kept of one family, per workspace. `id`, `label` and `units` never change; the rest only grows. */
export interface FamilyState {
  /** `seg_` and 16 hex digits of the founding skeleton's SHA-256: whoever meets the family first gives it this id. */
  readonly id: string
  /** For people: the founding prompt's stable beginning, at most 80 characters. */
  readonly label: string
  /** Hashes of the founding skeleton's units, at most 256. */
  readonly units: readonly number[]
  /** How often it was met, counted only as far as it matters: once, or more. */
  readonly seen: 1 | 2
  readonly patterns: readonly FamilyPattern[]
}
