import type { Trust } from '@ratchet/contracts/criteria'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'

/** How a judge did against grades; positive is FAIL. */
export interface JudgeMeasures {
  /** Rows, each counted once whatever its weight. */
  readonly confusion: ConfusionCounts
  readonly sampling: 'random' | 'weighted'
  readonly tpr: number | null
  readonly tnr: number | null
  readonly tprCi: [low: number, high: number] | null
  readonly tnrCi: [low: number, high: number] | null
  readonly kappa: number | null
  readonly kappaNote: string | null
  readonly trust: Trust
  readonly failGradesNeeded: number | null
  readonly passGradesNeeded: number | null
  /** Rows of equal weight that would say as much. */
  readonly effectiveNFail: number
  readonly effectiveNPass: number
}

/** What a calibration keeps of itself, from its plan on. */
export interface CalibrationResult {
  readonly ties: number
  /** Graded items that were left out, because the prompt was found with them. */
  readonly tuned: number
  readonly unparseable: number
  /** Null unless it is done. */
  readonly measures: JudgeMeasures | null
  /** Calibrations of the instrument up to this one. */
  readonly looks: number
  readonly judgeModelResolved: string | null
  readonly judgeFingerprint: string | null
  /** What its reader should know. */
  readonly notes: readonly string[]
}

/** What the calibration that counts says of a judge. */
export interface Evidence {
  readonly measures: JudgeMeasures
  readonly judgeModelResolved: string | null
  readonly judgeFingerprint: string | null
  readonly alignedAt: Date
}

/** As it is before anything was judged. */
export function plannedResult(ties: number, tuned = 0): CalibrationResult {
  return {
    ties,
    tuned,
    unparseable: 0,
    measures: null,
    looks: 0,
    judgeModelResolved: null,
    judgeFingerprint: null,
    notes: [],
  }
}

/** The result of a run of this kind, which this service alone writes; null before its plan. */
export function calibrationResultOf({ result }: { readonly result: unknown }): CalibrationResult | null {
  return result as CalibrationResult | null
}
