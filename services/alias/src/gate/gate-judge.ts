import type { Criterion, Trust } from '@ratchet/contracts/criteria'
import { MIN_YOUDEN } from '@ratchet/stats/judged-sample'

/** What a gate knows of its judge. */
export interface GateJudge {
  /** As on the wire. */
  readonly criterionId: string
  /** Which instrument it is: verdicts of another do not count. */
  readonly instrument: number
  readonly trust: Trust
  readonly tpr: number | null
  readonly tnr: number | null
  readonly isFlagged: boolean
  readonly isOverCap: boolean
  readonly isRetired: boolean
  /** Whether this is what was known of it before: judging did not answer. */
  readonly isAway: boolean
  /** Share of each arm's answers that it looks at, percent. */
  readonly percent: number
  /** Tag; empty for all traffic. */
  readonly population: string
  /** Segment; empty for all of them. */
  readonly populationFamily: string
}

/** @param criterion as its owner reads it */
export function gateJudgeOf(
  criterion: Criterion,
  { instrument, isOverCap }: { readonly instrument: number; readonly isOverCap: boolean },
): GateJudge {
  return {
    criterionId: criterion.id,
    instrument,
    trust: criterion.trust,
    tpr: criterion.tpr,
    tnr: criterion.tnr,
    isFlagged: criterion.drift_status === 'flagged',
    isOverCap,
    isRetired: criterion.status === 'retired',
    isAway: false,
    percent: criterion.online_percent,
    population: criterion.population,
    populationFamily: criterion.population_family,
  }
}

/** TPR + TNR − 1 where the judge is good enough to correct for what it gets wrong; else null, and rates stay raw. */
export function youdenOf(judge: Pick<GateJudge, 'tpr' | 'tnr'> | null): number | null {
  if (judge === null || judge.tpr === null || judge.tnr === null) return null
  const youden = judge.tpr + judge.tnr - 1
  return youden > MIN_YOUDEN ? youden : null
}

/** Why a gate may not act by itself on what this judge says; null when it may. */
export function whyNotTrusted(judge: GateJudge | null): string | null {
  if (judge === null) return 'its judge is gone'
  if (judge.isAway) return 'its judge cannot be asked about at the moment'
  if (judge.isRetired) return 'its judge is retired'
  if (judge.trust !== 'trustworthy') return `its judge is ${judge.trust}, not trustworthy`
  if (judge.isFlagged) return 'its judge is flagged for drift'
  return null
}
