import type { JudgeAccuracy } from './judged-sample.ts'
import { requireAmount, requireCount, requirePart, requireRate } from './require-arguments.ts'

/** The calibration of a judge, and its rate of FAIL in the traffic whose rate will be corrected. */
export interface GradingPlan extends JudgeAccuracy {
  /** Number of new grades. */
  readonly grades: number
  /** Share of FAIL in the traffic to correct, 0..1. */
  readonly failRate: number
}

/**
 * Splits the next grades between human FAIL rows and human PASS rows so that the corrected rate gets the narrowest
 * interval: m/(1 + (1/p − 1)·√κ) with κ = (1 − TNR)/(1 − TPR), both rates smoothed by one row each way.
 *
 * @returns whole numbers that add up to `grades`
 * @throws RangeError when an argument is out of range
 * @see Lee et al. 2025, arXiv:2511.21140
 */
export function splitNewGrades(plan: GradingPlan): { readonly fails: number; readonly passes: number } {
  const { grades, failRate, truePositives, humanFails, trueNegatives, humanPasses } = plan
  requireCount('grades', grades)
  requireAmount('humanFails', humanFails)
  requireAmount('humanPasses', humanPasses)
  requirePart({ truePositives }, humanFails)
  requirePart({ trueNegatives }, humanPasses)
  requireRate('failRate', failRate)
  const missesFails = (humanFails - truePositives + 1) / (humanFails + 2)
  const missesPasses = (humanPasses - trueNegatives + 1) / (humanPasses + 2)
  const kappa = missesPasses / missesFails
  const fails = failRate === 0 ? 0 : Math.round(grades / (1 + (1 / failRate - 1) * Math.sqrt(kappa)))
  return { fails, passes: grades - fails }
}
