import type { RateDifference } from '@ratchet/stats/corrected-difference'
import { informationForMargin, partlyGradedDifference } from '@ratchet/stats/partly-graded-difference'
import type { PartlyGradedRows } from '@ratchet/stats/partly-graded-rate'
import type { ArmCounts } from './arm-counts.ts'

/** Below this margin a sequence is tuned as for this one, because a margin of 0 would need endless samples. */
const minTunedMargin = 0.02

/**
 * Pass rate of the canary minus that of the target as people would grade them: each arm's verdicts, corrected by the
 * grades of that arm's own answers. The judge may err differently on each arm.
 *
 * @returns null while an arm lacks grades of answers with one of the verdicts that it has
 */
export function compareGraded(
  canary: ArmCounts,
  target: ArmCounts,
  { alpha, margin }: { readonly alpha: number; readonly margin: number },
): RateDifference | null {
  return partlyGradedDifference(gradedRows(canary), gradedRows(target), {
    alpha,
    tightestAt: tunedInformation(margin, alpha),
  })
}

/** The information 1/error² of the difference for which its sequence is tuned. It depends on the settings only. */
export function tunedInformation(margin: number, alpha: number): number {
  return informationForMargin(Math.max(margin, minTunedMargin), alpha)
}

/** The counts of an arm as input of the estimate. */
export function gradedRows({ scored, fails, gradedFails, gradedPasses }: ArmCounts): PartlyGradedRows {
  return {
    judgedFail: { rows: fails, graded: gradedFails.drawn, humanFails: gradedFails.humanFails },
    judgedPass: { rows: scored - fails, graded: gradedPasses.drawn, humanFails: gradedPasses.humanFails },
  }
}
