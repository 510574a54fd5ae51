import { clamp, clampInterval, type Interval, UNIT, Z_95 } from './interval.ts'
import { type JudgedSample, MIN_YOUDEN, requireJudgedSample, youdenIndex } from './judged-sample.ts'
import { requirePositive } from './require-arguments.ts'

export interface CorrectedFailRate {
  /** 0..1 */
  readonly failRate: number
  /** Before it was moved into 0..1. */
  readonly unclippedFailRate: number
  /**
   * Standard error of the unclipped rate, by the delta method; 0 when the sample and the calibration hold no variation.
   */
  readonly standardError: number
  /** Delta-method interval of the fail rate, clipped to 0..1; too narrow near 0 and 1, `langReiczigelInterval` is not. */
  readonly interval: Interval
  readonly youden: number
}

/**
 * The true fail rate from a judged one: (f + TNR − 1)/(TPR + TNR − 1). Unbiased also when the sample fails more or less often
 * than the calibration rows.
 *
 * @param z two-sided critical value; 95 % when absent
 * @returns null when the judge is too weak to correct for (J ≤ 0.2), without verdicts, or without rows of a class
 * @throws RangeError when the counts are impossible
 * @see Rogan & Gladen 1978, doi:10.1093/oxfordjournals.aje.a112510
 */
export function roganGladen(sample: JudgedSample, z = Z_95): CorrectedFailRate | null {
  requireJudgedSample(sample)
  requirePositive('z', z)
  const youden = youdenIndex(sample)
  if (youden === null || youden <= MIN_YOUDEN || sample.judged === 0) return null
  const judgedRate = sample.judgedFails / sample.judged
  const tpr = sample.truePositives / sample.humanFails
  const tnr = sample.trueNegatives / sample.humanPasses
  const rate = (judgedRate + tnr - 1) / youden
  const variance =
    (judgedRate * (1 - judgedRate)) / sample.judged +
    ((1 - rate) ** 2 * tnr * (1 - tnr)) / sample.humanPasses +
    (rate ** 2 * tpr * (1 - tpr)) / sample.humanFails
  const standardError = Math.sqrt(variance) / youden
  const interval = clampInterval({ low: rate - z * standardError, high: rate + z * standardError }, UNIT)
  return { failRate: clamp(rate, UNIT), unclippedFailRate: rate, standardError, interval, youden }
}
