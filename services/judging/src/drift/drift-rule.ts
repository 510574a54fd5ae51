import { type JudgeAccuracy, MIN_YOUDEN, youdenIndex } from '@ratchet/stats/judged-sample'
import type { Share } from '@ratchet/stats/rate-rise'
import { roganGladen } from '@ratchet/stats/rogan-gladen'
import { type Rise, type RiseRule, startOfDay } from './find-rise.ts'

export interface DriftRule {
  /** Days after which a calibration is stale. */
  readonly staleDays: number
  readonly live: Pick<RiseRule, 'alphaPerYear' | 'minTrials'> & {
    /** Smallest drop of the corrected pass rate that is flagged, 0..1. */
    readonly minDrop: number
  }
  readonly panel: RiseRule
}

/**
 * At most 5 % of stable judges are flagged in a year: 4 % because of their traffic and 1 % because of their panel, whose two
 * classes are compared separately.
 */
export const driftRule: Omit<DriftRule, 'staleDays'> = {
  live: { alphaPerYear: 0.04, minTrials: 50, minDrop: 0.03 },
  panel: { alphaPerYear: 0.005, minTrials: 10, minRise: 0.05 },
}

/** The share of a true change that shows in verdicts; null when it is unknown, or too small to correct for. */
export function judgeIndex(accuracy: JudgeAccuracy | null): number | null {
  const youden = accuracy === null ? null : youdenIndex(accuracy)
  return youden === null || youden <= MIN_YOUDEN ? null : youden
}

/** The reason of a flag. `failRate` is the corrected rate before the drop, which a change of the judge leaves true. */
export function describeDrop({ since, before, after, p }: Rise, accuracy: JudgeAccuracy | null) {
  const [then, now] = [failRateOf(before, accuracy), failRateOf(after, accuracy)]
  const reason =
    `Since ${startOfDay(since).toISOString().slice(0, 10)} ${percent(1 - now)} of ${after.trials} judged exchanges pass, ` +
    `corrected for errors of the judge. Before, it was ${percent(1 - then)} of ${before.trials} ` +
    `(p = ${p.toPrecision(2)}).`
  return { reason, failRate: then }
}

/** The rate of verdicts itself when it cannot be corrected. */
function failRateOf({ hits, trials }: Share, accuracy: JudgeAccuracy | null): number {
  const corrected = accuracy === null ? null : roganGladen({ ...accuracy, judged: trials, judgedFails: hits })
  return corrected?.failRate ?? hits / trials
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
