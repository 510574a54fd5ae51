import type { Verdict } from '@ratchet/contracts/criteria'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import { newcombeDifference } from '@ratchet/stats/newcombe-difference'
import type { Share } from '@ratchet/stats/rate-rise'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { type DriftRule, describeDrop, judgeIndex } from './drift-rule.ts'
import { type DayCount, findRise, type History, noShare, sumOf, utcDay } from './find-rise.ts'

/** The current calibration. */
export interface ValidatedJudge {
  readonly alignedAt: Date
  /** Names that the provider reported for the judge model, latest first; empty when it reported none. */
  readonly judgeModels: readonly string[]
  readonly fingerprints: readonly string[]
  /** Null when all grades are of one class: then no rate can be corrected. */
  readonly accuracy: JudgeAccuracy | null
}

/** Verdicts of the monitor on complete days; hits are fails. Counts exclude answers of canaries. */
export interface LiveTraffic {
  readonly days: readonly DayCount[]
  /** From the latest judgement; null without one, or when the provider does not report it. */
  readonly judgeModel: string | null
  readonly fingerprint: string | null
}

/** Verdicts on graded rows that are judged again and again; hits are wrong verdicts. By the verdict of people. */
export type PanelHistory = Readonly<Record<Verdict, History>>

export type DriftCause = NonNullable<StoredCriterion['driftCause']>

/** What sweeps have found so far. */
export interface DriftState
  extends Pick<StoredCriterion, 'driftSignal' | 'driftReason' | 'driftCause' | 'driftClearSweeps' | 'driftCheckedAt'> {
  /** Verdicts of this day and before are no reference any more; null for no limit. */
  readonly referenceFrom: Date | null
  /** While a drop is flagged, the reference ends before this day. */
  readonly referenceUntil: Date | null
  readonly flaggedAt: Date | null
}

export interface DriftCheck {
  readonly criterion: DriftState
  readonly validated: ValidatedJudge
  readonly live: LiveTraffic
  readonly panel: PanelHistory
  readonly rule: DriftRule
  readonly at: Date
  /** The present UTC day; all days before are complete. */
  readonly today: number
}

export interface DriftFinding {
  readonly signal: StoredCriterion['driftSignal']
  readonly cause: DriftCause | null
  readonly reason: string | null
  /** Consecutive sweeps without the drop. */
  readonly clearSweeps: number
  readonly referenceFrom: Date | null
  readonly referenceUntil: Date | null
  readonly flaggedAt: Date | null
  /** How much a drop raised the rate of verdicts FAIL, and the corrected fail rate before; null unless found now. */
  readonly drop: { readonly rise: number; readonly failRate: number } | null
}

const sweepsToClear = 2
/** Days of verdicts before a calibration that are reference too: they are of the same judge. */
export const daysBefore = 56
const recentDays = 7

/**
 * Checks a judge. A stale judge remains flagged until it is calibrated again, and one that is only old may be found to have
 * changed too: verdicts that evals have from it are evidence until then.
 */
export function checkDrift(check: DriftCheck): DriftFinding {
  const { criterion, validated } = check
  if (criterion.driftSignal === 'stale') {
    if (!isCalibratedSince(check)) {
      const changed = criterion.driftCause === null ? (modelChange(check) ?? judgeChange(check)) : null
      return { ...unchanged(criterion), ...changed }
    }
    // The verdicts of the judge as it was before are no reference for the one that was calibrated now.
    const referenceFrom = criterion.driftCause === 'judge' ? validated.alignedAt : criterion.referenceFrom
    return checkDrift({ ...check, criterion: { ...clear(referenceFrom), driftCheckedAt: null } })
  }
  const found = modelChange(check) ?? judgeChange(check) ?? age(check)
  if (found !== null) return { ...flag(check, 'stale'), ...found }
  return criterion.driftSignal === 'quality_drop' ? recovery(check) : decline(check)
}

/** A sweep may have read the old calibration while the new one was being saved. */
function isCalibratedSince({ criterion: { driftCheckedAt }, validated }: DriftCheck): boolean {
  return driftCheckedAt !== null && driftCheckedAt <= validated.alignedAt
}

function clear(referenceFrom: Date | null): Omit<DriftState, 'driftCheckedAt'> {
  const none = { driftSignal: null, driftReason: null, driftCause: null, driftClearSweeps: 0 }
  return { ...none, referenceFrom, referenceUntil: null, flaggedAt: null }
}

function unchanged({ driftSignal, driftReason, driftCause, driftClearSweeps, ...state }: DriftState): DriftFinding {
  const { referenceFrom, referenceUntil, flaggedAt } = state
  return {
    signal: driftSignal,
    reason: driftReason,
    cause: driftCause,
    clearSweeps: driftClearSweeps,
    referenceFrom,
    referenceUntil,
    flaggedAt,
    drop: null,
  }
}

function flag({ criterion, at }: DriftCheck, signal: 'stale' | 'quality_drop') {
  // The next calibration accepts a drop that is known by now.
  const referenceFrom = criterion.driftSignal === 'quality_drop' ? at : criterion.referenceFrom
  return {
    signal,
    cause: null,
    clearSweeps: 0,
    referenceFrom,
    referenceUntil: null,
    flaggedAt: at,
    drop: null,
  } as const
}

type Stale = Pick<DriftFinding, 'cause' | 'reason'>

function age({ criterion, validated, rule, at }: DriftCheck): Stale | null {
  const days = Math.floor((at.getTime() - validated.alignedAt.getTime()) / dayMs)
  if (days <= rule.staleDays) return null
  const reason = `Calibrated ${days} days ago; the limit is ${rule.staleDays} days. Calibrate again on fresh grades.`
  const { driftSignal, driftCause, driftReason } = criterion
  // A drop that the judge caused remains known.
  const hasChanged = driftSignal === 'quality_drop' && driftCause === 'judge'
  return hasChanged ? { cause: 'judge', reason: `${driftReason} ${reason}` } : { cause: null, reason }
}

function modelChange({ validated, live }: Pick<DriftCheck, 'validated' | 'live'>): Stale | null {
  if (isNew(live.judgeModel, validated.judgeModels)) {
    const reason = `Calibrated with ${validated.judgeModels[0]}, but ${live.judgeModel} answers now. Calibrate again.`
    return { cause: 'judge', reason }
  }
  if (isNew(live.fingerprint, validated.fingerprints)) {
    const reason = `The provider changed the build of ${live.judgeModel ?? 'the judge model'} (${validated.fingerprints[0]} became ${live.fingerprint}). Calibrate again.`
    return { cause: 'judge', reason }
  }
  return null
}

/** Unreported names prove nothing, and a provider may have answered from several builds during the calibration. */
function isNew(name: string | null, known: readonly string[]): boolean {
  return name !== null && known.length > 0 && !known.includes(name)
}

/** Only the judge can change the verdicts on its panel. */
function judgeChange({ panel, rule, today }: DriftCheck): Stale | null {
  for (const human of ['fail', 'pass'] as const) {
    const found = findRise(panel[human], today, rule.panel)
    if (found === null) continue
    const { before, after, p } = found
    const wrong = human === 'fail' ? 'passes' : 'fails'
    const reason =
      `Shown graded rows of its calibration again, the judge ${wrong} ${percentOf(after)} of those that people ` +
      `${human}; before, it was ${percentOf(before)} (p = ${p.toPrecision(2)}): the judge has changed. Calibrate again.`
    return { cause: 'judge', reason }
  }
  return null
}

function decline(check: DriftCheck): DriftFinding {
  const { criterion, validated, live, rule, today } = check
  const none = { ...unchanged({ ...criterion, ...clear(criterion.referenceFrom) }) }
  const youden = judgeIndex(validated.accuracy)
  if (youden === null) return none
  const { alphaPerYear, minTrials, minDrop } = rule.live
  const days = live.days.filter(({ day }) => day > firstReferenceDay(check))
  const found = findRise({ baseline: noShare, days }, today, { alphaPerYear, minTrials, minRise: minDrop * youden })
  if (found === null) return none
  const { reason, failRate } = describeDrop(found, validated.accuracy)
  const referenceUntil = new Date(found.since * dayMs)
  return { ...flag(check, 'quality_drop'), reason, referenceUntil, drop: { rise: found.rise, failRate } }
}

/** Days after this one are compared. */
function firstReferenceDay({ criterion: { referenceFrom }, validated: { alignedAt } }: DriftCheck): number {
  const oldest = utcDay(alignedAt) - daysBefore
  return referenceFrom === null ? oldest : Math.max(oldest, utcDay(referenceFrom))
}

/** A drop is over when the recent rate may be the one of before the drop in two consecutive sweeps. */
function recovery(check: DriftCheck): DriftFinding {
  const { criterion, validated, live, rule, today } = check
  const { referenceUntil, flaggedAt } = criterion
  // A calibration after the flag accepts the traffic, or the judge, as it is now.
  const isAccepted = flaggedAt === null || referenceUntil === null || validated.alignedAt > flaggedAt
  const firstRecent = Math.max(today - recentDays, isAccepted ? utcDay(validated.alignedAt) + 1 : 0)
  const after = sumOf(live.days.filter(({ day }) => day >= firstRecent))
  if (after.trials < rule.live.minTrials) return unchanged(criterion)
  const isBack = isAccepted || !isHigher(after, referenceOf(check, referenceUntil))
  const clearSweeps = isBack ? criterion.driftClearSweeps + 1 : 0
  if (clearSweeps < sweepsToClear) return { ...unchanged(criterion), clearSweeps }
  const referenceFrom = isAccepted ? validated.alignedAt : criterion.referenceFrom
  return unchanged({ ...criterion, ...clear(referenceFrom) })
}

function referenceOf(check: DriftCheck, until: Date): Share {
  const first = firstReferenceDay(check)
  return sumOf(check.live.days.filter(({ day }) => day > first && day < utcDay(until)))
}

/** Whether the 95 % interval of the difference lies above zero. */
function isHigher(after: Share, before: Share): boolean {
  const compared = newcombeDifference({
    successes1: after.hits,
    trials1: after.trials,
    successes2: before.hits,
    trials2: before.trials,
  })
  return compared !== null && compared.interval.low > 0
}

function percentOf({ hits, trials }: Share): string {
  return `${((100 * hits) / trials).toFixed(1)} %`
}
