import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import { estimateFailRate, type FailRateEstimate } from '@ratchet/stats/estimate-fail-rate'
import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import type { KnownAccuracy } from '../calibration/judge-accuracy.ts'

/** Verdicts of one kind of rows. */
export interface VerdictCounts {
  readonly fails: number
  readonly passes: number
}

export interface CorrectionEvidence {
  /** Rows that nobody graded and that were not left out. */
  readonly ungraded: VerdictCounts
  /** Judge against human in the rows that were drawn for grading at random. */
  readonly graded: ConfusionCounts
  /** Rows that such a draw offered before graded ones, and that people left out. */
  readonly unanswered: VerdictCounts
  /** Of the current calibration; null without one. */
  readonly accuracy: KnownAccuracy | null
}

/**
 * The fail rate of judged traffic, corrected for the errors of the judge. Scanned rows that people were offered and left out count
 * as errors of the judge, as they do for trust. People may leave out anything, so the interval also holds when all of them pass or
 * all fail, and when the judge errs on all that a calibration is missing of one class.
 *
 * @returns null where no valid correction exists
 */
export function correctFailRate(evidence: CorrectionEvidence): FailRateEstimate | null {
  const [best, ...others] = readings(evidence).map((reading) => estimatesOf(evidence, reading))
  const shown = best?.[0]
  if (shown === undefined) return null
  const bounds = others.map((estimates) => estimates.find(({ method }) => method === shown.method) ?? estimates[0])
  const known = bounds.filter((estimate) => estimate !== undefined)
  if (known.length < bounds.length) return null
  return {
    ...shown,
    interval: {
      low: Math.min(shown.interval.low, ...known.map(({ interval }) => interval.low)),
      high: Math.max(shown.interval.high, ...known.map(({ interval }) => interval.high)),
    },
  }
}

/** What the left out rows may be: rows to add to the graded ones, and the rates of the judge. */
interface Reading {
  readonly added: ConfusionCounts
  readonly accuracy: JudgeAccuracy | null
}

/** The one to show, then what gives the lowest and the highest fail rate. One reading when nothing was left out. */
function readings({ unanswered: { fails, passes }, accuracy }: CorrectionEvidence): readonly Reading[] {
  const shown: Reading = { added: { tp: 0, fn: passes, fp: fails, tn: 0 }, accuracy: accuracy?.answered ?? null }
  const isWhole = accuracy === null || accuracy.withUnanswered === accuracy.answered
  if (fails + passes === 0 && isWhole) return [shown]
  return [
    shown,
    { added: { tp: 0, fn: 0, fp: fails, tn: passes }, accuracy: joined(accuracy?.answered, accuracy?.withUnanswered) },
    { added: { tp: fails, fn: passes, fp: 0, tn: 0 }, accuracy: joined(accuracy?.withUnanswered, accuracy?.answered) },
  ]
}

/** The rate of found FAILs of one, and of found PASSes of the other. */
function joined(ofFails: JudgeAccuracy | undefined, ofPasses: JudgeAccuracy | undefined): JudgeAccuracy | null {
  if (ofFails === undefined || ofPasses === undefined) return null
  const { truePositives, humanFails } = ofFails
  const { trueNegatives, humanPasses } = ofPasses
  return { truePositives, humanFails, trueNegatives, humanPasses }
}

function estimatesOf({ ungraded, graded }: CorrectionEvidence, { added, accuracy }: Reading) {
  const { tp, fn, fp, tn } = added
  const counted = { tp: graded.tp + tp, fn: graded.fn + fn, fp: graded.fp + fp, tn: graded.tn + tn }
  // Left out rows alone measure nothing: they are an assumption about the judge.
  const isMeasured = accuracy !== null || graded.tp + graded.fn + graded.fp + graded.tn > 0
  const hasGrades = isMeasured && counted.tp + counted.fn + counted.fp + counted.tn > 0
  return estimateFailRate({
    judgedFails: ungraded.fails,
    judged: ungraded.fails + ungraded.passes,
    ...(hasGrades ? { graded: counted } : {}),
    ...(accuracy === null ? {} : { calibration: accuracy }),
  })
}
