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

/**
 * The same at the worst for the canary. Its runs that were left out, because another model helped with them, count as failed:
 * the canary can influence their number, for example by failing where a run is hard. So do its answers that people skipped
 * when they graded, and those of the target count as passed: whoever grades must not choose what is known.
 */
export function compareGradedAtWorst(
  canary: ArmCounts,
  target: ArmCounts,
  question: { readonly alpha: number; readonly margin: number },
): RateDifference | null {
  const { scored, fails, unfinished, assisted } = canary
  const added = { scored: scored + assisted, fails: fails + assisted, unfinished: unfinished + assisted }
  return compareGraded({ ...canary, ...canary.atWorst, ...added }, { ...target, ...target.atWorst }, question)
}

/** The counts of an arm as input of the estimate. Unfinished runs have failed without a verdict or a grade. */
export function gradedRows({ scored, fails, unfinished, gradedFails, gradedPasses }: ArmCounts): PartlyGradedRows {
  return {
    ...(unfinished === 0 ? {} : { knownFails: unfinished }),
    judgedFail: { rows: fails - unfinished, graded: gradedFails.drawn, humanFails: gradedFails.humanFails },
    judgedPass: { rows: scored - fails, graded: gradedPasses.drawn, humanFails: gradedPasses.humanFails },
  }
}
