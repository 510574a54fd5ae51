import type { GradedCounts } from './setup-progress.ts'

/** Counts for the setup status. */
export interface ProgressReads {
  /** Items that a calibration of each judge in use would look at, by the judge's UUID; those without any are left out. */
  gradedForJudges(workspaceId: string): Promise<ReadonlyMap<string, GradedCounts>>
  /** Items that were graded as a whole. */
  gradedAsWhole(workspaceId: string): Promise<GradedCounts>
}
