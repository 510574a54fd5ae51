import { dayMs } from '@ratchet/service-kit/timing/durations'
import { correctedRateDrop, type RateEstimate } from '@ratchet/stats/corrected-rate-drop'
import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import { roganGladen } from '@ratchet/stats/rogan-gladen'
import type { StoredCriterion } from '../criteria/criterion.ts'

/** The current calibration, against which drift is measured. */
export interface ValidatedJudge {
  readonly alignedAt: Date
  /** Names that the provider reported for the judge model, latest first; empty when it reported none. */
  readonly judgeModels: readonly string[]
  readonly fingerprints: readonly string[]
  readonly accuracy: JudgeAccuracy
  /** Share of graded rows that people passed, weighted by sampling. */
  readonly passRate: RateEstimate
}

/** Recent verdicts of the monitor. Counts exclude answers of canaries. */
export interface LiveTraffic {
  readonly judged: number
  readonly judgedFails: number
  /** From the latest judgement; null without one, or when the provider does not report it. */
  readonly judgeModel: string | null
  readonly fingerprint: string | null
}

export interface DriftSettings {
  /** Days after which a calibration is stale. */
  readonly staleDays: number
  /** Number of judgements below which the live rate is not used. */
  readonly minJudged: number
  /** Probability of a false alarm in one sweep. */
  readonly alpha: number
  /** Smallest drop that is flagged, 0..1. */
  readonly minDrop: number
}

export interface DriftCheck {
  readonly criterion: Pick<StoredCriterion, 'driftSignal' | 'driftReason' | 'driftClearSweeps' | 'driftCheckedAt'>
  readonly validated: ValidatedJudge
  readonly live: LiveTraffic
  readonly settings: DriftSettings
  readonly at: Date
}

export interface DriftFinding {
  readonly signal: StoredCriterion['driftSignal']
  readonly reason: string | null
  /** Consecutive sweeps without the drop. */
  readonly clearSweeps: number
}

const sweepsToClear = 2
/** Quantile of the normal distribution for a two-sided 95 % interval. */
const z = 1.959963984540054

/** Checks a judge against its calibration. A stale judge remains flagged until it is calibrated again. */
export function checkDrift(check: DriftCheck): DriftFinding {
  const { criterion } = check
  if (criterion.driftSignal === 'stale') {
    return isCalibratedSince(check) ? checkDrift({ ...check, criterion: unflagged }) : unchanged(criterion)
  }
  const aged = staleness(check)
  if (aged !== null) return { signal: 'stale', reason: aged, clearSweeps: 0 }
  const live = liveRate(check)
  if (live === null) return unchanged(criterion)
  return criterion.driftSignal === 'quality_drop' ? recovery(check, live) : decline(check, live)
}

const unflagged = { driftSignal: null, driftReason: null, driftClearSweeps: 0, driftCheckedAt: null }

/** A sweep may have read the old calibration while the new one was being saved. */
function isCalibratedSince({ criterion: { driftCheckedAt }, validated }: DriftCheck): boolean {
  return driftCheckedAt !== null && driftCheckedAt <= validated.alignedAt
}

function unchanged({ driftSignal, driftReason, driftClearSweeps }: DriftCheck['criterion']): DriftFinding {
  return { signal: driftSignal, reason: driftReason, clearSweeps: driftClearSweeps }
}

function staleness({ validated, live, settings, at }: DriftCheck): string | null {
  const days = Math.floor((at.getTime() - validated.alignedAt.getTime()) / dayMs)
  if (days > settings.staleDays) {
    return `Calibrated ${days} days ago; the limit is ${settings.staleDays} days. Calibrate again on fresh grades.`
  }
  if (isNew(live.judgeModel, validated.judgeModels)) {
    return `Calibrated with ${validated.judgeModels[0]}, but ${live.judgeModel} answers now. Calibrate again.`
  }
  if (isNew(live.fingerprint, validated.fingerprints)) {
    return `The provider changed the build of ${live.judgeModel ?? 'the judge model'} (${validated.fingerprints[0]} became ${live.fingerprint}). Calibrate again.`
  }
  return null
}

/** Unreported names prove nothing, and a provider may have answered from several builds during the calibration. */
function isNew(name: string | null, known: readonly string[]): boolean {
  return name !== null && known.length > 0 && !known.includes(name)
}

/** The live pass rate, corrected for errors of the judge; null without enough judgements. */
function liveRate({ validated, live, settings }: DriftCheck): RateEstimate | null {
  if (live.judged < settings.minJudged) return null
  const corrected = roganGladen({ ...validated.accuracy, judged: live.judged, judgedFails: live.judgedFails })
  if (corrected === null) return null
  return { rate: 1 - corrected.unclippedFailRate, standardError: corrected.standardError }
}

function decline({ validated, live: { judged }, settings }: DriftCheck, live: RateEstimate): DriftFinding {
  const { alpha, minDrop } = settings
  const { drop, p, flagged } = correctedRateDrop({ live, validated: validated.passRate }, { alpha, minDrop })
  if (!flagged) return { signal: null, reason: null, clearSweeps: 0 }
  const reason =
    `Of ${judged} exchanges judged recently ${percent(live.rate)} pass, corrected for errors of the judge. ` +
    `At the calibration it was ${percent(validated.passRate.rate)} (${percent(drop)} more, p = ${p.toPrecision(2)}).`
  return { signal: 'quality_drop', reason, clearSweeps: 0 }
}

/** A drop is over when the live interval covers the validated rate in two consecutive sweeps. */
function recovery({ criterion, validated }: DriftCheck, live: RateEstimate): DriftFinding {
  const covers = Math.abs(live.rate - validated.passRate.rate) <= z * live.standardError
  const isBack = covers || live.rate > validated.passRate.rate
  const clearSweeps = isBack ? criterion.driftClearSweeps + 1 : 0
  if (clearSweeps >= sweepsToClear) return { signal: null, reason: null, clearSweeps: 0 }
  return { ...unchanged(criterion), clearSweeps }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
