import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import type { Share } from '@ratchet/stats/rate-rise'
import { normalCdf } from '@ratchet/stats/special/normal-cdf'
import { normalQuantile } from '@ratchet/stats/special/normal-quantile'
import { driftRule, judgeIndex } from './drift-rule.ts'
import { comparisonsPerYear } from './find-rise.ts'

/** What a monitor has judged until now. */
export interface Monitored {
  /** Verdicts that a drop would be compared with, and the FAILs among them. */
  readonly before: Share
  /** Mean of the last complete days. */
  readonly verdictsPerDay: number
}

/** Days in which a drop is to be found, and the chance of it. */
export const detectableDays = 14
export const detectableChance = 0.8
/** The longest comparison that ends in time is made every second day, so it may miss the last day of the drop. */
const daysOfDrop = detectableDays - 1
const precision = 0.001

/**
 * The smallest drop of the pass rate, corrected for errors of the judge, that the check for drift finds in
 * `detectableDays` with `detectableChance`; null when it finds none, or the judge is too weak to correct for.
 */
export function detectableDrop({ before, verdictsPerDay }: Monitored, accuracy: JudgeAccuracy | null): number | null {
  const youden = judgeIndex(accuracy)
  const trials = verdictsPerDay * detectableDays
  const { minTrials } = driftRule.live
  if (youden === null || Math.min(trials, before.trials) < minTrials) return null
  const rate = (before.hits + 0.5) / (before.trials + 1)
  const chanceOf = (drop: number) => chanceToFind({ rate, trials, before: before.trials, youden }, drop)
  let [low, high] = [0, (1 - rate) / youden]
  if (chanceOf(high) < detectableChance) return null
  while (high - low > precision) {
    const middle = (low + high) / 2
    if (chanceOf(middle) >= detectableChance) high = middle
    else low = middle
  }
  return Math.min(1, high)
}

interface Comparison {
  /** Share of verdicts FAIL before. */
  readonly rate: number
  /** Verdicts of the days that are compared, and before them. */
  readonly trials: number
  readonly before: number
  readonly youden: number
}

/** By the normal approximation of the exact test, at the level of one comparison among those of a year. */
function chanceToFind({ rate, trials, before, youden }: Comparison, drop: number): number {
  const { alphaPerYear, minDrop } = driftRule.live
  const rise = (drop * youden * daysOfDrop) / detectableDays
  const after = Math.min(1, rate + rise)
  const pooled = (rate * before + after * trials) / (before + trials)
  const errorIfStable = Math.sqrt(pooled * (1 - pooled) * (1 / before + 1 / trials))
  const error = Math.sqrt((rate * (1 - rate)) / before + (after * (1 - after)) / trials)
  const critical = normalQuantile(1 - alphaPerYear / comparisonsPerYear) * errorIfStable
  return normalCdf((rise - Math.max(critical, minDrop * youden)) / Math.max(error, Number.MIN_VALUE))
}
