import type { GateState } from '@ratchet/contracts/aliases'
import { newcombeDifference } from '@ratchet/stats/newcombe-difference'
import type { ArmCounts } from './arm-counts.ts'
import { whyNotTrusted } from './gate-judge.ts'
import { type GateQuestion, type GateReading, srmAlpha } from './read-gate.ts'

/** What a gate makes of what it read. */
export interface GateDecision {
  readonly state: GateState
  /** For people. */
  readonly reason: string
  /** What it does by itself; null for nothing. */
  readonly act: 'promote' | 'roll_back' | null
  /** Why it is open what was to be decided; a window that is over stays so, arms that are uneven may not. */
  readonly cause?: 'srm' | 'window'
}

/** What the operator asks of gates that act by themselves. */
export interface AutoRules {
  /** Milliseconds that a canary is watched before it may be promoted: a day has its hours. */
  readonly promoteAfterMs: number
  /** Answers of each arm that people must have graded: judges may err differently on each. */
  readonly gradesPerArm: number
}

export interface GateEvidence extends GateQuestion {
  readonly reading: GateReading
  /** Since the split began. */
  readonly elapsedMs: number
  readonly rules: AutoRules
}

const hourMs = 3_600_000
/** Answers of which some should have been chosen. */
const minSamplesForSrm = 100

/**
 * Decides on a split. Harm goes first: a canary may be rolled back early and is promoted late. What a gate may not do by
 * itself, it says.
 */
export function decideGate(evidence: GateEvidence): GateDecision {
  return (
    guardBreached(evidence) ??
    sampleRatioMismatch(evidence) ??
    worseThanMargin(evidence) ??
    betterThanMargin(evidence) ??
    outOfTime(evidence) ??
    tooFewSamples(evidence) ??
    keepWatching(evidence)
  )
}

function guardBreached(evidence: GateEvidence): GateDecision | null {
  const check = evidence.reading.guard.find((each) => each.breached)
  if (check === undefined || check.cs === null) return null
  const reason = `The guard ${check.name} is breached: all of ${range(check.cs)} lies above ${check.limit}.`
  // A figure that needs no judge needs no trust in one.
  return rollBack(evidence, { reason, mayNot: null })
}

function sampleRatioMismatch({ reading: { srmP } }: GateEvidence): GateDecision | null {
  if (srmP === null || srmP >= srmAlpha) return null
  const reason = `srm: the arms have not the sizes of the split (p = ${srmP.toExponential(1)}), so nothing is decided.`
  return { state: 'inconclusive', reason, act: null, cause: 'srm' }
}

function worseThanMargin(evidence: GateEvidence): GateDecision | null {
  const { difference, margin } = evidence.reading
  if (difference === null || difference.cs.high >= -margin) return null
  const reason = `The canary's pass rate is lower by more than ${margin}: all of ${sequence(difference.cs)} lies below.`
  return rollBack(evidence, { reason, mayNot: whyNotTrusted(evidence.judge) })
}

interface Charge {
  readonly reason: string
  readonly mayNot: string | null
}

function rollBack({ settings }: GateEvidence, { reason, mayNot }: Charge): GateDecision {
  if (settings.gate_mode !== 'auto') return { state: 'rollback_recommended', reason, act: null }
  if (mayNot !== null) {
    return { state: 'rollback_recommended', reason: `${reason} The gate does not act: ${mayNot}.`, act: null }
  }
  return { state: 'rolled_back', reason, act: 'roll_back' }
}

function betterThanMargin(evidence: GateEvidence): GateDecision | null {
  const { difference, margin, youden } = evidence.reading
  if (difference === null || difference.cs.low <= -margin || missingOf(evidence) > 0) return null
  // What a judge cannot tell apart looks alike on both arms: a drop that is not corrected for that is understated.
  if (youden === null)
    return isWindowOver(evidence) ? null : { state: 'healthy', reason: uncorrected(evidence), act: null }
  const reason = `The canary's pass rate is not lower by ${margin} or more: all of ${sequence(difference.cs)} lies above.`
  if (evidence.settings.gate_mode !== 'auto') return { state: 'promote_ready', reason, act: null }
  const mayNot = whyNotPromoted(evidence)
  if (mayNot === null) return { state: 'promoted', reason, act: 'promote' }
  return { state: 'promote_ready', reason: `${reason} The gate does not act: ${mayNot}.`, act: null }
}

function uncorrected(evidence: GateEvidence): string {
  return `Nothing speaks against the canary, and its judge is too little measured to prove it: ${scoresOf(evidence)}.`
}

function whyNotPromoted({ settings, judge, arms, elapsedMs, rules }: GateEvidence): string | null {
  const untrusted = whyNotTrusted(judge)
  if (untrusted !== null) return untrusted
  if (judge?.isOverCap === true) return 'its judge has spent what it may in a week'
  if (isWindowOver({ settings, elapsedMs })) return 'its window is over'
  if (elapsedMs < rules.promoteAfterMs) {
    return `a canary is watched for ${hours(rules.promoteAfterMs)} before it is promoted, this one for ${hours(elapsedMs)} so far`
  }
  const { target, canary } = arms
  if (Math.min(target.graded, canary.graded) < rules.gradesPerArm) {
    return `people have graded ${canary.graded} scored answers of the canary and ${target.graded} of the target, of ${rules.gradesPerArm} each`
  }
  return judgesUnevenly(canary, target) ? 'its judge agrees with people more often on one arm than on the other' : null
}

function judgesUnevenly(canary: ArmCounts, target: ArmCounts): boolean {
  const found = newcombeDifference({
    successes1: canary.agreed,
    trials1: canary.graded,
    successes2: target.agreed,
    trials2: target.graded,
  })
  return found !== null && (found.interval.low > 0 || found.interval.high < 0)
}

function outOfTime(evidence: GateEvidence): GateDecision | null {
  if (!isWindowOver(evidence)) return null
  const window = hours(windowMs(evidence))
  if (missingOf(evidence) > 0) {
    return {
      state: 'expired',
      reason: `After ${window} the canary has ${scoresOf(evidence)}. Somebody has to decide.`,
      act: null,
    }
  }
  const reason = `After ${window} it is open whether the canary is worse: ${scoresOf(evidence)}. Somebody has to decide.`
  return { state: 'inconclusive', reason, act: null, cause: 'window' }
}

/** Whether what comes by now is not counted any more. */
export function isWindowOver({ settings, elapsedMs }: Pick<GateEvidence, 'settings' | 'elapsedMs'>): boolean {
  return elapsedMs >= windowMs({ settings })
}

function windowMs({ settings }: Pick<GateEvidence, 'settings'>): number {
  return settings.gate_window_hours * hourMs
}

/** From the middle of the window on: an arm that would not have enough by its end at the pace so far. */
function tooFewSamples(evidence: GateEvidence): GateDecision | null {
  const { settings, elapsedMs } = evidence
  if (elapsedMs < windowMs(evidence) / 2) return null
  const expected = (minScored(evidence) * windowMs(evidence)) / elapsedMs
  if (expected >= settings.gate_min_samples_per_arm) return null
  const reason = `Too little is judged: ${scoresOf(evidence)}, and at this pace no more than ${Math.floor(expected)} by the end.${scarcityNote(evidence)}`
  return { state: 'starved', reason, act: null }
}

function keepWatching(evidence: GateEvidence): GateDecision {
  if (missingOf(evidence) > 0) {
    return { state: 'collecting', reason: `So far ${scoresOf(evidence)}.${scarcityNote(evidence)}`, act: null }
  }
  const reason = `Nothing speaks against the canary, and it is not yet proven: ${scoresOf(evidence)}.`
  return { state: 'healthy', reason, act: null }
}

/** Why so little is judged, where that can be told. */
function scarcityNote(evidence: GateEvidence): string {
  const { arms, judge } = evidence
  if (judge === null) return ' Its judge is gone.'
  if (judge.isRetired) return ' Its judge is retired: nothing is judged until it is in use again.'
  if (judge.isOverCap) return ' Its judge has spent what it may in a week: the rest waits for the next.'
  if (judge.percent === 0) return ' Its judge looks at 0 % of the traffic: raise its online_percent.'
  const chosen = [arms.target, arms.canary].reduce(
    (sum, arm) => sum + arm.scored + arm.open + arm.unjudged + arm.mixed,
    0,
  )
  if (chosen > 0 || arms.target.served + arms.canary.served < minSamplesForSrm) return mixedNote(evidence)
  return " None of the answers was chosen: is logging on, and is this the population of the judge's?"
}

function mixedNote({ arms: { target, canary }, settings }: GateEvidence): string {
  const mixed = target.mixed + canary.mixed
  if (mixed === 0) return ''
  const cure =
    settings.sticky_by === 'trace' ? 'send trace ids' : 'send trace ids and keep traces together with sticky_by'
  return ` ${mixed} answers were left out, for an earlier turn may be of the other arm: ${cure}.`
}

function missingOf(evidence: Pick<GateEvidence, 'settings' | 'arms'>): number {
  return Math.max(0, evidence.settings.gate_min_samples_per_arm - minScored(evidence))
}

function minScored({ arms: { target, canary } }: Pick<GateEvidence, 'arms'>): number {
  return Math.min(target.scored, canary.scored)
}

function scoresOf({ arms: { target, canary }, settings }: GateEvidence): string {
  return `${canary.scored} scored answers of the canary and ${target.scored} of the target, of at least ${settings.gate_min_samples_per_arm} each`
}

function sequence({ low, high }: { readonly low: number; readonly high: number }): string {
  return range([low, high])
}

function range([low, high]: readonly [number, number | null]): string {
  return high === null ? `${low.toFixed(4)} and more` : `${low.toFixed(4)} to ${high.toFixed(4)}`
}

function hours(ms: number): string {
  return `${Number((ms / hourMs).toFixed(1))} h`
}
