import type { RateDifference } from '@ratchet/stats/corrected-difference'
import { informationForMargin, partlyGradedDifference } from '@ratchet/stats/partly-graded-difference'
import type { PartlyGradedRows } from '@ratchet/stats/partly-graded-rate'
import { type ArmCounts, answersOf } from './arm-counts.ts'

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
 * when they graded, and those of the target count as passed: whoever grades must not choose what is known. Its answers that
 * could not be judged count as failed too, and so does the same share of those of the target at most: an outage of the judge
 * concerns both arms, answers that break it only one.
 */
export function compareGradedAtWorst(
  canary: ArmCounts,
  target: ArmCounts,
  question: { readonly alpha: number; readonly margin: number },
): RateDifference | null {
  const ofTarget = Math.min(target.unjudged, Math.round(shareOf(canary.unjudged, canary) * target.scored))
  return compareGraded(
    withFailed({ ...canary, ...canary.atWorst }, canary.assisted + canary.unjudged),
    withFailed({ ...target, ...target.atWorst }, ofTarget),
    question,
  )
}

/**
 * The counts of an arm with its requests that failed, or that a fallback answered: as many as are in the judge's share.
 * For single requests; a run of which a request fails does not end, or another model helps with it.
 */
export function withErrors(arm: ArmCounts): ArmCounts {
  const answers = answersOf(arm)
  return withFailed(
    arm,
    answers === 0 ? arm.errors : Math.round((arm.errors * Math.min(answers, arm.scored)) / answers),
  )
}

/** Adds so many answers that have failed without a verdict. */
function withFailed(arm: ArmCounts, count: number): ArmCounts {
  const { scored, fails, unfinished } = arm
  return { ...arm, scored: scored + count, fails: fails + count, unfinished: unfinished + count }
}

/** Per scored answer. */
function shareOf(count: number, { scored }: ArmCounts): number {
  return scored === 0 ? 0 : count / scored
}

/** The counts of an arm as input of the estimate. Unfinished runs and failed requests have failed without a verdict or a grade. */
export function gradedRows({ scored, fails, unfinished, gradedFails, gradedPasses }: ArmCounts): PartlyGradedRows {
  return {
    ...(unfinished === 0 ? {} : { knownFails: unfinished }),
    judgedFail: { rows: fails - unfinished, graded: gradedFails.drawn, humanFails: gradedFails.humanFails },
    judgedPass: { rows: scored - fails, graded: gradedPasses.drawn, humanFails: gradedPasses.humanFails },
  }
}
