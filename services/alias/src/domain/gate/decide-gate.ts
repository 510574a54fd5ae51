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

export interface GateLook extends GateQuestion {
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
export function decideGate(look: GateLook): GateDecision {
  return breached(look) ?? uneven(look) ?? worse(look) ?? proven(look) ?? over(look) ?? starved(look) ?? undecided(look)
}

function breached(look: GateLook): GateDecision | null {
  const check = look.reading.guard.find((each) => each.breached)
  if (check === undefined || check.cs === null) return null
  const reason = `The guard ${check.name} is breached: all of ${range(check.cs)} lies above ${check.limit}.`
  // A figure that needs no judge needs no trust in one.
  return rollBack(look, { reason, mayNot: null })
}

function uneven({ reading: { srmP } }: GateLook): GateDecision | null {
  if (srmP === null || srmP >= srmAlpha) return null
  const reason = `srm: the arms have not the sizes of the split (p = ${srmP.toExponential(1)}), so nothing is decided.`
  return { state: 'inconclusive', reason, act: null, cause: 'srm' }
}

function worse(look: GateLook): GateDecision | null {
  const { difference, margin } = look.reading
  if (difference === null || difference.cs.high >= -margin) return null
  const reason = `The canary's pass rate is lower by more than ${margin}: all of ${sequence(difference.cs)} lies below.`
  return rollBack(look, { reason, mayNot: whyNotTrusted(look.judge) })
}

interface Charge {
  readonly reason: string
  readonly mayNot: string | null
}

function rollBack({ settings }: GateLook, { reason, mayNot }: Charge): GateDecision {
  if (settings.gate_mode !== 'auto') return { state: 'rollback_recommended', reason, act: null }
  if (mayNot !== null) {
    return { state: 'rollback_recommended', reason: `${reason} The gate does not act: ${mayNot}.`, act: null }
  }
  return { state: 'rolled_back', reason, act: 'roll_back' }
}

function proven(look: GateLook): GateDecision | null {
  const { difference, margin, youden } = look.reading
  if (difference === null || difference.cs.low <= -margin || missingOf(look) > 0) return null
  // What a judge cannot tell apart looks alike on both arms: a drop that is not corrected for that is understated.
  if (youden === null) return isWindowOver(look) ? null : { state: 'healthy', reason: uncorrected(look), act: null }
  const reason = `The canary's pass rate is not lower by ${margin} or more: all of ${sequence(difference.cs)} lies above.`
  if (look.settings.gate_mode !== 'auto') return { state: 'promote_ready', reason, act: null }
  const mayNot = whyNotPromoted(look)
  if (mayNot === null) return { state: 'promoted', reason, act: 'promote' }
  return { state: 'promote_ready', reason: `${reason} The gate does not act: ${mayNot}.`, act: null }
}

function uncorrected(look: GateLook): string {
  return `Nothing speaks against the canary, and its judge is too little measured to prove it: ${scoresOf(look)}.`
}

function whyNotPromoted({ settings, judge, arms, elapsedMs, rules }: GateLook): string | null {
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

function over(look: GateLook): GateDecision | null {
  if (!isWindowOver(look)) return null
  const window = hours(windowMs(look))
  if (missingOf(look) > 0) {
    return {
      state: 'expired',
      reason: `After ${window} the canary has ${scoresOf(look)}. Somebody has to decide.`,
      act: null,
    }
  }
  const reason = `After ${window} it is open whether the canary is worse: ${scoresOf(look)}. Somebody has to decide.`
  return { state: 'inconclusive', reason, act: null, cause: 'window' }
}

/** Whether what comes by now is not counted any more. */
export function isWindowOver({ settings, elapsedMs }: Pick<GateLook, 'settings' | 'elapsedMs'>): boolean {
  return elapsedMs >= windowMs({ settings })
}

function windowMs({ settings }: Pick<GateLook, 'settings'>): number {
  return settings.gate_window_hours * hourMs
}

/** From the middle of the window on: an arm that would not have enough by its end at the pace so far. */
function starved(look: GateLook): GateDecision | null {
  const { settings, elapsedMs } = look
  if (elapsedMs < windowMs(look) / 2) return null
  const expected = (minScored(look) * windowMs(look)) / elapsedMs
  if (expected >= settings.gate_min_samples_per_arm) return null
  const reason = `Too little is judged: ${scoresOf(look)}, and at this pace no more than ${Math.floor(expected)} by the end.${scarcityNote(look)}`
  return { state: 'starved', reason, act: null }
}

function undecided(look: GateLook): GateDecision {
  if (missingOf(look) > 0) {
    return { state: 'collecting', reason: `So far ${scoresOf(look)}.${scarcityNote(look)}`, act: null }
  }
  const reason = `Nothing speaks against the canary, and it is not yet proven: ${scoresOf(look)}.`
  return { state: 'healthy', reason, act: null }
}

/** Why so little is judged, where that can be told. */
function scarcityNote(look: GateLook): string {
  const { arms, judge } = look
  if (judge === null) return ' Its judge is gone.'
  if (judge.isRetired) return ' Its judge is retired: nothing is judged until it is in use again.'
  if (judge.isOverCap) return ' Its judge has spent what it may in a week: the rest waits for the next.'
  if (judge.percent === 0) return ' Its judge looks at 0 % of the traffic: raise its online_percent.'
  const chosen = [arms.target, arms.canary].reduce(
    (sum, arm) => sum + arm.scored + arm.open + arm.unjudged + arm.mixed,
    0,
  )
  if (chosen > 0 || arms.target.served + arms.canary.served < minSamplesForSrm) return mixedNote(look)
  return " None of the answers was chosen: is logging on, and is this the population of the judge's?"
}

function mixedNote({ arms: { target, canary }, settings }: GateLook): string {
  const mixed = target.mixed + canary.mixed
  if (mixed === 0) return ''
  const cure =
    settings.sticky_by === 'trace' ? 'send trace ids' : 'send trace ids and keep traces together with sticky_by'
  return ` ${mixed} answers were left out, for an earlier turn may be of the other arm: ${cure}.`
}

function missingOf(look: Pick<GateLook, 'settings' | 'arms'>): number {
  return Math.max(0, look.settings.gate_min_samples_per_arm - minScored(look))
}

function minScored({ arms: { target, canary } }: Pick<GateLook, 'arms'>): number {
  return Math.min(target.scored, canary.scored)
}

function scoresOf({ arms: { target, canary }, settings }: GateLook): string {
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
