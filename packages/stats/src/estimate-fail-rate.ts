import { type ConfusionCounts, countRows } from './confusion-counts.ts'
import type { Interval } from './interval.ts'
import type { JudgeAccuracy } from './judged-sample.ts'
import { langReiczigelInterval } from './lang-reiczigel-interval.ts'
import { ppiPlusPlus } from './ppi-plus-plus.ts'
import { requireCounts, requirePart } from './require-arguments.ts'
import { roganGladen } from './rogan-gladen.ts'
import { wilsonInterval } from './wilson-interval.ts'

/**
 * The method that estimated a fail rate: from the grades alone, from grades and verdicts by PPI++, or from the verdicts
 * corrected by TPR and TNR (Rogan–Gladen, interval of Lang & Reiczigel).
 */
export type FailRateMethod = 'gold_only' | 'ppi_plus_plus' | 'rogan_gladen'

export interface FailRateEstimate {
  readonly method: FailRateMethod
  /** 0..1 */
  readonly failRate: number
  /** 95 %, within 0..1. */
  readonly interval: Interval
}

export interface FailRateEvidence {
  /** Verdicts FAIL among the rows of the population that have a verdict and no grade. */
  readonly judgedFails: number
  /** All rows with a verdict and no grade. */
  readonly judged: number
  /** Judge against human in a random part of the same population; absent when the grades were not chosen at random. */
  readonly graded?: ConfusionCounts
  /** Judge against human on other rows: of another segment, or class-balanced. */
  readonly calibration?: JudgeAccuracy
}

const MIN_CELLS = 10

/**
 * The fail rate of a population by every method that is valid for the evidence, narrowest interval first. Random grades
 * allow all three; grades of other traffic allow only the correction by TPR and TNR, which is the only method that remains
 * valid for another fail rate. PPI++ is asymptotic, and covers far too rarely for a judge with few errors: it is used from
 * 10 human FAILs, 10 human PASSes and 10 wrong verdicts among the grades.
 *
 * @returns the first one is the estimate to show; empty when no method is valid
 * @throws RangeError when the counts are impossible
 * @see Lee et al. 2025, arXiv:2511.21140; Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453
 */
export function estimateFailRate(evidence: FailRateEvidence): FailRateEstimate[] {
  const { judgedFails, judged, graded } = evidence
  requireCounts({ judgedFails, judged })
  requirePart({ judgedFails }, judged)
  const candidates = [
    ...(graded === undefined ? [] : [goldOnly(graded), byPpi(evidence, graded)]),
    byRoganGladen(evidence, evidence.calibration ?? accuracyIn(graded)),
  ]
  return candidates
    .filter((candidate) => candidate !== null)
    .sort((one, other) => widthOf(one.interval) - widthOf(other.interval))
}

function goldOnly(graded: ConfusionCounts): FailRateEstimate | null {
  const rows = countRows(graded)
  const fails = graded.tp + graded.fn
  const interval = wilsonInterval(fails, rows)
  return interval === null ? null : { method: 'gold_only', failRate: fails / rows, interval }
}

function byPpi({ judgedFails, judged }: FailRateEvidence, graded: ConfusionCounts): FailRateEstimate | null {
  const { tp, fn, fp, tn } = graded
  if (Math.min(tp + fn, fp + tn, fn + fp) < MIN_CELLS) return null
  const estimate = ppiPlusPlus({ graded, judgedFails, judged })
  if (estimate === null) return null
  return { method: 'ppi_plus_plus', failRate: estimate.failRate, interval: estimate.interval }
}

function byRoganGladen(
  { judgedFails, judged }: FailRateEvidence,
  accuracy: JudgeAccuracy | null,
): FailRateEstimate | null {
  if (accuracy === null) return null
  const sample = { ...accuracy, judgedFails, judged }
  const estimate = roganGladen(sample)
  const interval = langReiczigelInterval(sample)
  if (estimate === null || interval === null) return null
  return { method: 'rogan_gladen', failRate: estimate.failRate, interval }
}

function accuracyIn(graded: ConfusionCounts | undefined): JudgeAccuracy | null {
  if (graded === undefined) return null
  const { tp, fn, fp, tn } = graded
  return { truePositives: tp, humanFails: tp + fn, trueNegatives: tn, humanPasses: tn + fp }
}

function widthOf({ low, high }: Interval): number {
  return high - low
}
