import { type ConfusionCounts, countRows } from './confusion-counts.ts'
import type { Interval } from './interval.ts'
import type { JudgeAccuracy } from './judged-sample.ts'
import { langReiczigelInterval } from './lang-reiczigel-interval.ts'
import { partlyGradedInterval } from './partly-graded-interval.ts'
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

/** Fewer random grades are used alone: what half a row more in each cell adds would decide. */
const MIN_PPI = 10
/** Fewer random grades than this say less than a calibration. */
const MIN_GRADES = 100
/** J = TPR + TNR − 1 of a calibration from which on its correction is used, although there are random grades. */
const MIN_YOUDEN = 0.8

/**
 * The fail rate of a population by every method that is valid for the evidence; the first one is the one to show. It is chosen
 * before any interval is computed, because the narrowest of several 95 % intervals misses the truth more often than one time in
 * twenty. Random grades give PPI++, or the grades alone; the correction by TPR and TNR of a calibration is used when there are
 * fewer than 100 random grades, or when the calibration found a good judge (J ≥ 0.8). Neither the choice nor the interval depends on
 * what was found in the grades.
 *
 * @returns the first one is the estimate to show; empty when no method is valid
 * @throws RangeError when the counts are impossible
 * @see Lee et al. 2025, arXiv:2511.21140; Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453
 */
export function estimateFailRate(evidence: FailRateEvidence): FailRateEstimate[] {
  const { judgedFails, judged, graded, calibration } = evidence
  requireCounts({ judgedFails, judged })
  requirePart({ judgedFails }, judged)
  const byGrades = graded === undefined ? [] : [byPpi(evidence, graded), goldOnly(graded)]
  const byAccuracy = byRoganGladen(evidence, calibration ?? accuracyIn(graded))
  const order = prefersCalibration(graded, calibration) ? [byAccuracy, ...byGrades] : [...byGrades, byAccuracy]
  return order.filter((estimate) => estimate !== null)
}

/** Decides by numbers that were known before the population was judged. */
function prefersCalibration(graded: ConfusionCounts | undefined, calibration: JudgeAccuracy | undefined): boolean {
  if (calibration === undefined) return false
  if (graded === undefined || countRows(graded) < MIN_GRADES) return true
  const { truePositives, humanFails, trueNegatives, humanPasses } = calibration
  return truePositives / humanFails + trueNegatives / humanPasses - 1 >= MIN_YOUDEN
}

function goldOnly(graded: ConfusionCounts): FailRateEstimate | null {
  const rows = countRows(graded)
  const fails = graded.tp + graded.fn
  const interval = wilsonInterval(fails, rows)
  return interval === null ? null : { method: 'gold_only', failRate: fails / rows, interval }
}

function byPpi({ judgedFails, judged }: FailRateEvidence, graded: ConfusionCounts): FailRateEstimate | null {
  if (countRows(graded) < MIN_PPI) return null
  const estimate = partlyGradedInterval({ graded, judgedFails, judged })
  return estimate === null ? null : { method: 'ppi_plus_plus', ...estimate }
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
