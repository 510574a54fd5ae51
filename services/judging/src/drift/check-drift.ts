import { correctedRateDrop, type RateEstimate } from '@ratchet/stats/corrected-rate-drop'
import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import { roganGladen } from '@ratchet/stats/rogan-gladen'
import type { StoredCriterion } from '../criteria/criterion.ts'

/** The calibration that counts, as far as drift is measured against it. */
export interface ValidatedJudge {
  readonly alignedAt: Date
  /** Whatever answered as the judge, as its provider calls it, the latest first; empty where that was not told. */
  readonly judgeModels: readonly string[]
  readonly fingerprints: readonly string[]
  readonly accuracy: JudgeAccuracy
  /** Share of the graded rows that people passed, weighted by their sampling, with its standard error. */
  readonly passRate: RateEstimate
}

/** What the monitor saw lately. */
export interface LiveTraffic {
  /** Without what canaries answered. */
  readonly judged: number
  readonly judgedFails: number
  /** Of the latest judgement; null without one, or where it was not told. */
  readonly judgeModel: string | null
  readonly fingerprint: string | null
}

export interface DriftSettings {
  /** Days after which a calibration has aged out. */
  readonly staleDays: number
  /** Judgements without which the live rate says nothing. */
  readonly minJudged: number
  /** Chance of a false alarm in one sweep. */
  readonly alpha: number
  /** Drop below which nothing is flagged, 0..1. */
  readonly minDrop: number
}

export interface DriftCheck {
  readonly criterion: Pick<StoredCriterion, 'driftSignal' | 'driftReason' | 'driftClearSweeps' | 'driftCheckedAt'>
  readonly validated: ValidatedJudge
  readonly live: LiveTraffic
  readonly settings: DriftSettings
  readonly at: Date
}

/** What a sweep finds. */
export interface DriftFinding {
  readonly signal: StoredCriterion['driftSignal']
  readonly reason: string | null
  /** Sweeps in a row that found the live rate back where it belongs. */
  readonly clearSweeps: number
}

/** Sweeps in a row that a drop must be gone for. */
const sweepsToClear = 2
const dayMs = 86_400_000
/** Two-sided 95 %. */
const z = 1.959963984540054

/** Looks whether a judge still is what its calibration says. A stale one stays flagged until it is calibrated again. */
export function checkDrift(check: DriftCheck): DriftFinding {
  const { criterion } = check
  if (criterion.driftSignal === 'stale') {
    return isCalibratedSince(check) ? checkDrift({ ...check, criterion: unflagged }) : asItWas(criterion)
  }
  const aged = staleness(check)
  if (aged !== null) return { signal: 'stale', reason: aged, clearSweeps: 0 }
  const live = liveRate(check)
  if (live === null) return asItWas(criterion)
  return criterion.driftSignal === 'quality_drop' ? recovery(check, live) : decline(check, live)
}

const unflagged = { driftSignal: null, driftReason: null, driftClearSweeps: 0, driftCheckedAt: null }

/** A sweep may have looked at the old calibration while the new one was being kept. */
function isCalibratedSince({ criterion: { driftCheckedAt }, validated }: DriftCheck): boolean {
  return driftCheckedAt !== null && driftCheckedAt <= validated.alignedAt
}

function asItWas({ driftSignal, driftReason, driftClearSweeps }: DriftCheck['criterion']): DriftFinding {
  return { signal: driftSignal, reason: driftReason, clearSweeps: driftClearSweeps }
}

function staleness({ validated, live, settings, at }: DriftCheck): string | null {
  const days = Math.floor((at.getTime() - validated.alignedAt.getTime()) / dayMs)
  if (days > settings.staleDays) {
    return `Calibrated ${days} days ago; a calibration holds for ${settings.staleDays}. Calibrate again on fresh grades.`
  }
  if (isNew(live.judgeModel, validated.judgeModels)) {
    return `Calibrated with ${validated.judgeModels[0]}, but ${live.judgeModel} answers now. Calibrate again.`
  }
  if (isNew(live.fingerprint, validated.fingerprints)) {
    return `The provider changed what answers as ${live.judgeModel ?? 'the judge'} (${validated.fingerprints[0]} became ${live.fingerprint}). Calibrate again.`
  }
  return null
}

/** What one of the sides does not tell proves nothing; a provider may answer from several places all along. */
function isNew(name: string | null, known: readonly string[]): boolean {
  return name !== null && known.length > 0 && !known.includes(name)
}

/** The live pass rate, the judge's mistakes taken out; null where there is too little to tell. */
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
    `Of ${judged} exchanges judged lately ${percent(live.rate)} pass, corrected for the judge's mistakes; ` +
    `${percent(validated.passRate.rate)} did when it was validated (${percent(drop)} less, p = ${p.toPrecision(2)}).`
  return { signal: 'quality_drop', reason, clearSweeps: 0 }
}

/** A drop is over once the live interval covers the validated rate in two sweeps running. */
function recovery({ criterion, validated }: DriftCheck, live: RateEstimate): DriftFinding {
  const covers = Math.abs(live.rate - validated.passRate.rate) <= z * live.standardError
  const isBack = covers || live.rate > validated.passRate.rate
  const clearSweeps = isBack ? criterion.driftClearSweeps + 1 : 0
  if (clearSweeps >= sweepsToClear) return { signal: null, reason: null, clearSweeps: 0 }
  return { ...asItWas(criterion), clearSweeps }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
