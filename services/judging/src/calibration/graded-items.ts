import type { Verdict } from '@ratchet/contracts/criteria'
import type { StoredCriterion } from '../criteria/criterion.ts'

/** A grade that was in force at some moment. */
export interface GradeInForce {
  readonly labelId: string
  /** What is graded. */
  readonly itemKey: string
  readonly verdict: Verdict
  readonly graderId: string
  /** Given for the criterion, not for the exchange as a whole. */
  readonly isOwn: boolean
  readonly snapshotId: string
  /** How the item was chosen; null where nobody said. */
  readonly samplingMethod: string | null
  readonly samplingProbability: number | null
  readonly stratum: string | null
  readonly segment: string
  readonly tag: string | null
  readonly createdAt: Date
}

/** Grades as a calibration reads them. */
export interface GradeReader {
  /**
   * Grades for a criterion, and those of whole exchanges of its population, that were in force at a moment. Asked again
   * later it gives the same.
   */
  inForce(criterion: StoredCriterion, asOf: Date): Promise<readonly GradeInForce[]>
  /** Size of what was graded, bytes. */
  contentBytes(snapshotIds: readonly string[]): Promise<number>
}
