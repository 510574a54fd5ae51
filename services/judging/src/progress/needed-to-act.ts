import { fewestGradesToAct, rightToAct } from '../calibration/right-to-act.ts'
import { reasonNotToAct } from '../criteria/act-fields.ts'
import type { JudgeProgress } from './judge-progress.ts'

/** What one judge needs until gates, evidence and rewards may act on it. */
export interface NeededToAct {
  /** Null when they may. */
  readonly reason: string | null
  /** Further drawn grades of each class; null when they are not within reach. */
  readonly fails: number | null
  readonly passes: number | null
}

/**
 * At the present rates of a judge. One without a calibration of drawn grades needs as many of each class as a judge without
 * any error.
 */
export function neededToAct({ measures, graded, isFlagged }: JudgeProgress): NeededToAct {
  const right = rightToAct(measures)
  const reason = reasonNotToAct(right, isFlagged)
  if (reason === null) return { reason, fails: 0, passes: 0 }
  if (measures === null || measures.picked !== 0) {
    const fewest = fewestGradesToAct(measures?.copies)
    return { reason, fails: Math.max(0, fewest - graded.fails), passes: Math.max(0, fewest - graded.passes) }
  }
  return {
    reason,
    fails: right.isProvenTpr ? 0 : right.failGradesNeeded,
    passes: right.isProvenTnr ? 0 : right.passGradesNeeded,
  }
}

/** The one with the fewest grades missing; null without any. */
export function nearestToAct<T extends NeededToAct>(judges: readonly T[]): T | null {
  const missing = ({ reason, fails, passes }: NeededToAct) =>
    reason === null ? -1 : (fails ?? Number.POSITIVE_INFINITY) + (passes ?? Number.POSITIVE_INFINITY)
  return judges.toSorted((one, other) => (missing(one) < missing(other) ? -1 : 1))[0] ?? null
}
