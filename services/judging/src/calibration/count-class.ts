import type { Verdict } from '@ratchet/contracts/criteria'
import { weightedRate } from '@ratchet/stats/weighted-rate'
import type { MeasuredRow } from './measured-row.ts'

/** Rows of one human class, as an effective number of rows of equal weight; may be fractional. */
export interface ClassCount {
  /** Rows with the same verdict of the judge. */
  readonly found: number
  readonly trials: number
}

/**
 * Counts a class of rows that were chosen with different probabilities, at their effective size. When the judge gave the
 * whole class one verdict, the size is limited to the weight of the class in rows of the other verdict: these may be
 * sampled thinly, and a single unseen error among them would outweigh many rows that agree.
 */
export function countClass(rows: readonly MeasuredRow[], human: Verdict): ClassCount {
  const ofClass = rows.filter((row) => row.human === human)
  const outcomes = ofClass.map((row) => ({ success: row.verdict === human, weight: weightOf(row) }))
  const rated = weightedRate(outcomes)
  if (rated === null) return { found: 0, trials: 0 }
  const { rate, effectiveTrials } = rated
  const trials = Math.min(effectiveTrials, trialsByUnseen(rows, ofClass))
  return { found: rate * trials, trials }
}

/** Infinite when the class has both verdicts, or when no row has the other one. */
function trialsByUnseen(rows: readonly MeasuredRow[], ofClass: readonly MeasuredRow[]): number {
  const seen = ofClass[0]?.verdict
  if (ofClass.some(({ verdict }) => verdict !== seen)) return Number.POSITIVE_INFINITY
  const others = rows.filter(({ verdict }) => verdict !== seen)
  if (others.length === 0) return Number.POSITIVE_INFINITY
  return totalWeight(ofClass) / (totalWeight(others) / others.length)
}

function totalWeight(rows: readonly MeasuredRow[]): number {
  return rows.reduce((total, row) => total + weightOf(row), 0)
}

/** The number of rows of the population that a row represents. */
function weightOf({ samplingProbability }: MeasuredRow): number {
  return 1 / samplingProbability
}
