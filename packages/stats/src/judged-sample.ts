import { requireAmount, requireCounts, requirePart } from './require-arguments.ts'

/** The counts of a judge against human grades; positive means FAIL. They are fractions when the rows are weighted. */
export interface JudgeAccuracy {
  /** Judged FAIL among the human FAIL rows. */
  readonly truePositives: number
  readonly humanFails: number
  /** Judged PASS among the human PASS rows. */
  readonly trueNegatives: number
  readonly humanPasses: number
}

/** Verdicts on a sample, with the calibration of the same judge. */
export interface JudgedSample extends JudgeAccuracy {
  /** Verdicts FAIL in the sample. */
  readonly judgedFails: number
  /** All verdicts in the sample. */
  readonly judged: number
}

/** At this Youden index or below, a corrected rate is noise and is refused. */
export const MIN_YOUDEN = 0.2

/** @throws RangeError when the counts are impossible */
export function requireJudgedSample(sample: JudgedSample): void {
  const { judgedFails, judged, truePositives, humanFails, trueNegatives, humanPasses } = sample
  requireCounts({ judgedFails, judged })
  requireAmount('humanFails', humanFails)
  requireAmount('humanPasses', humanPasses)
  requirePart({ judgedFails }, judged)
  requirePart({ truePositives }, humanFails)
  requirePart({ trueNegatives }, humanPasses)
}

/** J = TPR + TNR − 1: the share of a true difference that remains in verdicts; null when a class has no rows. */
export function youdenIndex(accuracy: JudgeAccuracy): number | null {
  const { truePositives, humanFails, trueNegatives, humanPasses } = accuracy
  if (humanFails === 0 || humanPasses === 0) return null
  return truePositives / humanFails + trueNegatives / humanPasses - 1
}
