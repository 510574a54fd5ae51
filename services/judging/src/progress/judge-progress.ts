import type { JudgeMeasures } from '../calibration/calibration-result.ts'

/** Graded items that a calibration of a judge would use. */
export interface GradedCounts {
  readonly fails: number
  readonly passes: number
}

/** A judge in use. */
export interface JudgeProgress {
  readonly graded: GradedCounts
  /** Value of the current calibration; null without one. */
  readonly measures: JudgeMeasures | null
  readonly isFlagged: boolean
}
