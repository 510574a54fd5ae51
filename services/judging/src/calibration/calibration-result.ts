import type { Trust } from '@ratchet/contracts/criteria'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import type { ItemWeight } from './graded-items.ts'
import type { Repeats } from './repeats.ts'

/** Verdicts of a judge compared with grades; positive is FAIL. */
export interface JudgeMeasures {
  /** Unweighted counts of readable verdicts. */
  readonly confusion: ConfusionCounts
  readonly sampling: 'random' | 'weighted'
  /** Number of rows that people picked. Absent in results of older releases, which did not know it. */
  readonly picked?: number
  /** Number of items that were offered and have no grade. Absent in results of older releases, as is the next. */
  readonly unanswered?: number
  /** Number of graded items that a filter leaves out of draws of which it selects others. */
  readonly cut?: number
  /**
   * Number of judges with the same prompt and model that were calibrated before, and of other prompts and models of this judge that
   * were calibrated before on some of the same items. Absent in results of older releases.
   */
  readonly copies?: number
  readonly tpr: number | null
  readonly tnr: number | null
  readonly tprCi: [low: number, high: number] | null
  readonly tnrCi: [low: number, high: number] | null
  readonly kappa: number | null
  readonly kappaNote: string | null
  readonly trust: Trust
  readonly failGradesNeeded: number | null
  readonly passGradesNeeded: number | null
  /** Effective sample size: the number of rows of equal weight with the same information. */
  readonly effectiveNFail: number
  readonly effectiveNPass: number
  /** The rates of the graded items with a readable verdict alone; absent when these are all that was offered. */
  readonly answered?: Pick<JudgeMeasures, 'tpr' | 'tnr' | 'effectiveNFail' | 'effectiveNPass'>
}

export interface CalibrationResult {
  readonly ties: number
  /** Number of graded items that were left out because the prompt was tuned on them. */
  readonly tuned: number
  /** Number of picked items that were left out. Absent in results of older releases, as is the next. */
  readonly leftOut?: number
  /** Number of items that were left out because a stratum of their frame has no grade. */
  readonly incomplete?: number
  /** What was offered and has no grade, by stratum. Absent in results of older releases, as is the next. */
  readonly unanswered?: readonly ItemWeight[]
  /** Number of graded items that the filter leaves out of draws of which it selects others. */
  readonly cut?: number
  /** Number of rows without a readable verdict. They count as errors of the judge. */
  readonly unparseable: number
  /** Null until it is done. */
  readonly measures: JudgeMeasures | null
  /** Null until it is done, and when no row has a second verdict. Absent in results of older releases. */
  readonly repeats?: Repeats | null
  /** Number of calibrations of the instrument, with this one. */
  readonly looks: number
  readonly judgeModelResolved: string | null
  readonly judgeFingerprint: string | null
  readonly notes: readonly string[]
}

/** The current calibration: the newest that is done, of the present instrument. */
export interface Evidence {
  /** UUID. */
  readonly calibrationId: string
  readonly measures: JudgeMeasures
  /** Null when no row was judged twice. */
  readonly repeats: Repeats | null
  readonly judgeModelResolved: string | null
  readonly judgeFingerprint: string | null
  readonly alignedAt: Date
}

/** The result before any judgement. */
export function plannedResult(): CalibrationResult {
  return {
    ties: 0,
    tuned: 0,
    leftOut: 0,
    incomplete: 0,
    unanswered: [],
    cut: 0,
    unparseable: 0,
    measures: null,
    repeats: null,
    looks: 0,
    judgeModelResolved: null,
    judgeFingerprint: null,
    notes: [],
  }
}

/** Null before the plan. Only this service writes the result, so it is not validated. */
export function calibrationResultOf({ result }: { readonly result: unknown }): CalibrationResult | null {
  return result as CalibrationResult | null
}
