import type { Verdict } from '@ratchet/contracts/criteria'
import { weightedRate } from '@ratchet/stats/weighted-rate'
import type { MeasuredRow } from './measure-judge.ts'

/** The rows of one human class as rows of equal weight: fractions where they had different ones. */
export interface ClassCount {
  /** Those that the judge decides as people did. */
  readonly found: number
  readonly trials: number
}

/**
 * Counts a class of rows that were chosen with different probabilities, at their effective size. Where the judge never
 * differs from people the size is also at most the class's weight in rows of the other verdict: those were perhaps
 * sampled thinly, and one differing row among them would outweigh many that agree.
 */
export function countClass(rows: readonly MeasuredRow[], human: Verdict): ClassCount {
  const ofClass = rows.filter((row) => row.human === human)
  const outcomes = ofClass.map(({ verdict, weight }) => ({ success: verdict === human, weight }))
  const rated = weightedRate(outcomes)
  if (rated === null) return { found: 0, trials: 0 }
  const { rate, effectiveTrials } = rated
  const trials = Math.min(effectiveTrials, trialsByUnseen(rows, ofClass))
  return { found: rate * trials, trials }
}

/** Infinite where both verdicts were seen, or where nothing got the other one. */
function trialsByUnseen(rows: readonly MeasuredRow[], ofClass: readonly MeasuredRow[]): number {
  const seen = ofClass[0]?.verdict
  if (ofClass.some(({ verdict }) => verdict !== seen)) return Number.POSITIVE_INFINITY
  const others = rows.filter(({ verdict }) => verdict !== seen)
  if (others.length === 0) return Number.POSITIVE_INFINITY
  return totalWeight(ofClass) / (totalWeight(others) / others.length)
}

function totalWeight(rows: readonly MeasuredRow[]): number {
  return rows.reduce((total, { weight }) => total + weight, 0)
}
