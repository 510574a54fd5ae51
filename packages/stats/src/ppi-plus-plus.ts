import { type ConfusionCounts, countRows } from './confusion-counts.ts'
import { clamp, clampInterval, type Interval, UNIT, Z_95 } from './interval.ts'
import { requireCounts, requirePart, requirePositive, requireRate } from './require-arguments.ts'

/** A population whose verdicts are known, and a random part of it that people graded as well. */
export interface PartlyGradedSample {
  /** The graded part, judge against human. */
  readonly graded: ConfusionCounts
  /** Verdicts FAIL in the part without grades. */
  readonly judgedFails: number
  /** All verdicts in the part without grades. */
  readonly judged: number
}

export interface PpiEstimate {
  /** 0..1 */
  readonly failRate: number
  readonly standardError: number
  /** Interval of the fail rate, clipped to 0..1. */
  readonly interval: Interval
  /** The weight of the verdicts: 0 uses the grades only, 1 is plain prediction-powered inference. */
  readonly lambda: number
}

/**
 * Fail rate from a few random grades and many verdicts: the interval is never much wider than from the grades alone, even
 * with a weak judge. Biased when the grades are not a random part of the population; the interval needs large samples.
 *
 * @param options.lambda 0..1; the one with the least variance when absent
 * @param options.z two-sided critical value; 95 % when absent
 * @returns null without grades or without other verdicts
 * @throws RangeError when the counts are impossible
 * @see Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453
 */
export function ppiPlusPlus(
  sample: PartlyGradedSample,
  { lambda, z = Z_95 }: { readonly lambda?: number; readonly z?: number } = {},
): PpiEstimate | null {
  const n = countRows(sample.graded)
  requireCounts({ judgedFails: sample.judgedFails, judged: sample.judged })
  requirePart({ judgedFails: sample.judgedFails }, sample.judged)
  requirePositive('z', z)
  if (lambda !== undefined) requireRate('lambda', lambda)
  if (n === 0 || sample.judged === 0) return null
  const { humanRate, verdictRate, covariance } = momentsOf(sample.graded, n)
  const weight = lambda ?? bestWeight({ covariance, verdictRate, share: n / sample.judged })
  const otherRate = sample.judgedFails / sample.judged
  const rate = weight * otherRate + humanRate - weight * verdictRate
  const rest = spread(humanRate) - 2 * weight * covariance + weight ** 2 * spread(verdictRate)
  // Rounding can make the variance of a perfect judge negative.
  const variance = (weight ** 2 * spread(otherRate)) / sample.judged + Math.max(0, rest) / n
  const standardError = Math.sqrt(variance)
  const interval = clampInterval({ low: rate - z * standardError, high: rate + z * standardError }, UNIT)
  return { failRate: clamp(rate, UNIT), standardError, interval, lambda: weight }
}

function momentsOf({ tp, fn, fp }: ConfusionCounts, n: number) {
  const humanRate = (tp + fn) / n
  const verdictRate = (tp + fp) / n
  return { humanRate, verdictRate, covariance: tp / n - humanRate * verdictRate }
}

function bestWeight(terms: { covariance: number; verdictRate: number; share: number }): number {
  const variance = spread(terms.verdictRate)
  return variance === 0 ? 0 : clamp(terms.covariance / ((1 + terms.share) * variance), UNIT)
}

/** The variance of a yes-or-no value. */
function spread(rate: number): number {
  return rate * (1 - rate)
}
