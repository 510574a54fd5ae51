import type { Criterion, Trust } from '@ratchet/contracts/criteria'
import type { VerdictCost } from '@ratchet/contracts/internal-judging'
import { MIN_YOUDEN } from '@ratchet/stats/judged-sample'

/** The judge of a gate at one time. */
export interface GateJudge {
  /** Public id. */
  readonly criterionId: string
  /** Whether it judges single answers or complete runs. */
  readonly unit: Criterion['unit']
  /** Number of the instrument. Verdicts of another instrument do not count. */
  readonly instrument: number
  readonly trust: Trust
  /** Why nothing may act on it by itself, as judging states it; null when it may. */
  readonly cannotActReason: string | null
  readonly tpr: number | null
  readonly tnr: number | null
  readonly isFlagged: boolean
  /** Whether a check for drift found that it may judge otherwise than when it was calibrated. Absent in what earlier releases stored. */
  readonly hasDrifted?: boolean
  readonly isOverCap: boolean
  readonly isRetired: boolean
  /** Whether judging was unavailable, and these fields are those of the last evaluation. */
  readonly isAway: boolean
  /** Share of each arm's answers that it judges, percent. */
  readonly percent: number
  /** What a verdict costs; null when judging does not know it, absent in what earlier releases stored. */
  readonly verdictCost?: VerdictCost | null
  /** Tag of the exchanges that it judges; empty for all. */
  readonly population: string
  /** Segment of the exchanges that it judges; empty for all. */
  readonly populationFamily: string
}

export function gateJudgeOf(
  criterion: Criterion,
  { instrument, isOverCap, verdictCost }: Pick<GateJudge, 'instrument' | 'isOverCap' | 'verdictCost'>,
): GateJudge {
  return {
    criterionId: criterion.id,
    unit: criterion.unit,
    instrument,
    trust: criterion.trust,
    cannotActReason: criterion.can_act ? null : (criterion.cannot_act_reason ?? 'it may not act'),
    tpr: criterion.tpr,
    tnr: criterion.tnr,
    isFlagged: criterion.drift_status === 'flagged',
    hasDrifted: hasDrifted(criterion),
    isOverCap,
    isRetired: criterion.status === 'retired',
    isAway: false,
    percent: criterion.online_percent,
    verdictCost: verdictCost ?? null,
    population: criterion.population,
    populationFamily: criterion.population_family,
  }
}

/** A judge whose calibration is old has not drifted, and neither has one whose traffic is known to have changed. */
function hasDrifted({ drift_signal: signal, drift_cause: cause }: Criterion): boolean {
  return cause === 'judge' || (signal === 'quality_drop' && cause === null)
}

/** TPR + TNR − 1; null when the judge is not measured or too weak, so that its rates cannot be corrected. */
export function youdenOf(judge: Pick<GateJudge, 'tpr' | 'tnr'> | null): number | null {
  if (judge === null || judge.tpr === null || judge.tnr === null) return null
  const youden = judge.tpr + judge.tnr - 1
  return youden > MIN_YOUDEN ? youden : null
}

/** Why a gate may not act by itself on the verdicts of this judge; null when it may. */
export function reasonForDistrust(judge: GateJudge | null): string | null {
  if (judge === null) return 'its judge does not exist any more'
  if (judge.isAway) return 'its judge cannot be read at the moment'
  if (judge.isRetired) return 'its judge is retired'
  if (judge.trust !== 'trustworthy') return `its judge is ${judge.trust}, not trustworthy`
  if (judge.isFlagged) return 'its judge is flagged for drift'
  // A judge that an earlier release stored has no reason.
  if (judge.cannotActReason !== null)
    return `its judge may not act by itself: ${judge.cannotActReason ?? 'not measured since'}`
  return null
}
