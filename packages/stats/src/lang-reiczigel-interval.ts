import { clampInterval, type Interval, UNIT, Z_95 } from './interval.ts'
import { type JudgedSample, MIN_YOUDEN, requireJudgedSample, youdenIndex } from './judged-sample.ts'
import { requirePositive } from './require-arguments.ts'

/**
 * Interval for the true fail rate of judged traffic, which keeps its coverage for few calibration rows and for perfect
 * scores, where the interval of the delta method has no width.
 *
 * @param z two-sided critical value; 95 % when absent
 * @returns bounds of the fail rate in 0..1; null as in `roganGladen`
 * @throws RangeError when the counts are impossible
 * @see Lang & Reiczigel 2014, doi:10.1016/j.prevetmed.2013.09.015
 */
export function langReiczigelInterval(sample: JudgedSample, z = Z_95): Interval | null {
  requireJudgedSample(sample)
  requirePositive('z', z)
  const rawYouden = youdenIndex(sample)
  if (rawYouden === null || rawYouden <= MIN_YOUDEN || sample.judged === 0) return null
  const judged = sample.judged + z * z
  const fails = sample.humanFails + 2
  const passes = sample.humanPasses + 2
  const judgedRate = (sample.judgedFails + (z * z) / 2) / judged
  const tpr = (sample.truePositives + 1) / fails
  const tnr = (sample.trueNegatives + 1) / passes
  const youden = tpr + tnr - 1
  if (youden <= 0) return UNIT
  const rate = (judgedRate + tnr - 1) / youden
  const tprVariance = (tpr * (1 - tpr)) / fails
  const tnrVariance = (tnr * (1 - tnr)) / passes
  const shift = 2 * z * z * (rate * tprVariance - (1 - rate) * tnrVariance)
  const variance = (judgedRate * (1 - judgedRate)) / judged + (1 - rate) ** 2 * tnrVariance + rate ** 2 * tprVariance
  const half = (z * Math.sqrt(variance)) / youden
  return clampInterval({ low: rate + shift - half, high: rate + shift + half }, UNIT)
}
