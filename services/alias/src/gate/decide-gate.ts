import type { GateState } from '@ratchet/contracts/aliases'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { drawnOf } from './arm-counts.ts'
import type { ComparedSegment } from './compare-segments.ts'
import { countedAgainst } from './counted-against.ts'
import type { GateEvidence } from './gate-evidence.ts'
import { reasonForDistrust } from './gate-judge.ts'
import { gradedText, hoursText, itemsOf, rangeText, scarcityNote, scoresText, sequenceText } from './gate-reasons.ts'
import type { GateTiming, TimedEvidence } from './gate-timing.ts'
import { judgesRuns } from './run-rules.ts'

export interface GateDecision {
  readonly state: GateState
  /** Explanation that is shown to users. */
  readonly reason: string
  /** The change of the split that the gate makes; null for none. */
  readonly action: 'promote' | 'roll_back' | 'roll_back_families' | null
  /** The segments that `roll_back_families` takes out of the split. */
  readonly families?: readonly string[]
  /** Why the state is `inconclusive`. After `window` it stays so, after `srm` (a sample ratio mismatch) it may not. */
  readonly cause?: 'srm' | 'window'
}

/**
 * Decides about a split. The first rule that applies decides, and rules about harm come first: a canary may be rolled
 * back early and is promoted late. Without permission to act by itself, a gate recommends and gives the reason.
 */
export function decideGate(gate: GateEvidence, timing: GateTiming): GateDecision {
  const evidence = { ...gate, ...timing }
  const breached = breachedGuard(evidence)
  if (breached !== null) return rollBack(evidence, breached, null)
  if (hasSampleRatioMismatch(evidence)) return awaitEvenArms(evidence)
  if (isWorseInFamiliesOnly(evidence)) return rollBackFamilies(evidence)
  if (isWorseByGrades(evidence)) return rollBackByGrades(evidence)
  if (isWorseByVerdicts(evidence)) return rollBackByVerdicts(evidence)
  if (isProvenByGrades(evidence) && hasEnoughSamples(evidence) && doubtfulSegments(evidence).length === 0)
    return promote(evidence)
  if (isWindowOver(evidence)) return endWindow(evidence)
  if (isStarved(evidence)) return reportStarved(evidence)
  return keepWatching(evidence)
}

function breachedGuard({ guard }: TimedEvidence): string | null {
  const check = guard.find((each) => each.breached)
  if (check === undefined || check.cs === null) return null
  return `The guard ${check.name} is breached: all of ${rangeText(check.cs)} lies above ${check.limit}.`
}

/** Low, because the test is repeated with every evaluation. */
const srmAlpha = 0.0001

function hasSampleRatioMismatch({ srmP }: TimedEvidence): boolean {
  return srmP !== null && srmP < srmAlpha
}

/** The row of an alias has no column for the cause of a decision, so the start of a reason is read. */
const srmPrefix = 'srm: '

export function isSrmReason(reason: string | null): boolean {
  return reason?.startsWith(srmPrefix) === true
}

function awaitEvenArms({ srmP }: TimedEvidence): GateDecision {
  const reason = `${srmPrefix}the sizes of the arms do not match the split (p = ${srmP?.toExponential(1)}), so nothing is decided.`
  return { state: 'inconclusive', reason, action: null, cause: 'srm' }
}

/** Whether enough answers of each arm were drawn and graded for their sequence to be valid. */
function hasGrades({ arms: { target, canary }, rules }: TimedEvidence): boolean {
  return Math.min(drawnOf(target), drawnOf(canary)) >= rules.gradesPerArm
}

function isWorseByGrades(evidence: TimedEvidence): boolean {
  const { graded, margin } = evidence
  return graded !== null && hasGrades(evidence) && graded.interval.high < -margin
}

/**
 * The verdicts alone may end a canary before people have graded answers, because a rollback is the safe side. Once there
 * are grades of both arms, they have to point the same way: the judge may fail the style of the canary.
 */
function isWorseByVerdicts(evidence: TimedEvidence): boolean {
  const { difference, graded, margin } = evidence
  if (difference === null || difference.cs.high >= -margin) return false
  return graded === null || !hasGrades(evidence) || graded.difference < -margin
}

function isProvenByGrades(evidence: TimedEvidence): boolean {
  const { gradedAtWorst: graded, margin } = evidence
  return graded !== null && hasGrades(evidence) && graded.interval.low > -margin
}

function worseSegments({ segments }: TimedEvidence): readonly ComparedSegment[] {
  return segments.filter(({ isWorse }) => isWorse)
}

/**
 * Whether only some segments are worse, so that the others can continue; when the whole canary is proven worse too, the rest
 * must at least seem good enough. A gate of runs takes none out, because a rule for a family would tear runs apart.
 */
function isWorseInFamiliesOnly(evidence: TimedEvidence): boolean {
  const { rest, margin, settings, judge } = evidence
  const mayAct = settings.gate_mode === 'auto' && reasonForDistrust(judge) === null && !judgesRuns(judge)
  if (rest === null || !mayAct || rest.interval.high < -margin) return false
  const isWorse = isWorseByGrades(evidence) || isWorseByVerdicts(evidence)
  return !isWorse || rest.difference >= -margin
}

function rollBackFamilies(evidence: TimedEvidence): GateDecision {
  const worse = worseSegments(evidence)
  const found = worse.map(({ segment, difference }) =>
    difference === null ? segment : `${segment} (${rangeText([difference.cs.low, difference.cs.high])})`,
  )
  const reason = `The canary's pass rate is lower by more than ${evidence.margin} in the segment ${found.join(', ')}, whose requests go to the target from now on.`
  const { state } = keepWatching(evidence)
  return { state, reason, action: 'roll_back_families', families: worse.map(({ segment }) => segment) }
}

/**
 * Segments with more evidence that the canary is worse by more than the margin than that it is not. A promotion waits for
 * them: it ends the comparison, so what they show would never be proven.
 */
function doubtfulSegments({ segments }: TimedEvidence): readonly ComparedSegment[] {
  return segments.filter(({ isRolledBack, logEValue }) => !isRolledBack && logEValue > 0)
}

function rollBackByGrades(evidence: TimedEvidence): GateDecision {
  const reason = `People's grades show that the canary's pass rate is lower by more than ${evidence.margin}: all of ${gradedText(evidence)} lies below.`
  return rollBack(evidence, reason, null)
}

function rollBackByVerdicts(evidence: TimedEvidence): GateDecision {
  const { margin, judge } = evidence
  const reason = `The canary's pass rate is lower by more than ${margin}: all of ${sequenceText(evidence)} lies below.`
  return rollBack(evidence, reason, reasonForDistrust(judge))
}

/** @param obstacle why the gate may not act by itself; a guard needs no judge, so it has none */
function rollBack({ settings }: TimedEvidence, reason: string, obstacle: string | null): GateDecision {
  if (settings.gate_mode !== 'auto') return { state: 'rollback_recommended', reason, action: null }
  if (obstacle === null) return { state: 'rolled_back', reason, action: 'roll_back' }
  return { state: 'rollback_recommended', reason: `${reason} The gate does not act: ${obstacle}.`, action: null }
}

function promote(evidence: TimedEvidence): GateDecision {
  const { margin, settings } = evidence
  const reason = `The grades of both arms prove that the canary's pass rate is not lower by ${margin} or more: all of ${gradedText({ graded: evidence.gradedAtWorst })} lies above.`
  if (settings.gate_mode !== 'auto') return { state: 'promote_ready', reason, action: null }
  const obstacle = obstacleToPromotion(evidence)
  if (obstacle === null) return { state: 'promoted', reason, action: 'promote' }
  return { state: 'promote_ready', reason: `${reason} The gate does not act: ${obstacle}.`, action: null }
}

function obstacleToPromotion(evidence: TimedEvidence): string | null {
  const { judge, elapsedMs, rules } = evidence
  const distrust = reasonForDistrust(judge)
  if (distrust !== null) return distrust
  if (judge?.isOverCap === true) return 'its judge has spent its weekly cap'
  if (isWindowOver(evidence)) return 'its window is over'
  if (elapsedMs >= rules.promoteAfterMs) return null
  return `a canary is watched for ${hoursText(rules.promoteAfterMs)} before it is promoted, this one for ${hoursText(elapsedMs)} so far`
}

function endWindow(evidence: TimedEvidence): GateDecision {
  const window = hoursText(windowMs(evidence))
  if (!hasEnoughSamples(evidence)) {
    const { target, canary } = evidence.arms
    const found = `${canary.scored} of the canary and ${target.scored} of the target`
    const needed = `at least ${evidence.settings.gate_min_samples_per_arm} of each are required`
    const reason = `After ${window} there are too few scored ${itemsOf(evidence)}: ${found}; ${needed}. A person has to decide.`
    return { state: 'expired', reason, action: null }
  }
  const reason = `After ${window} it is not known whether the canary is worse: ${scoresText(evidence)}.${proofNote(evidence)} A person has to decide.`
  return { state: 'inconclusive', reason, action: null, cause: 'window' }
}

/** After the window new exchanges are not counted. */
function isWindowOver(evidence: TimedEvidence): boolean {
  return evidence.elapsedMs >= windowMs(evidence)
}

function windowMs({ settings }: TimedEvidence): number {
  return settings.gate_window_hours * hourMs
}

/** From the middle of the window on: at this pace an arm will not have enough samples by its end. */
function isStarved(evidence: TimedEvidence): boolean {
  if (evidence.elapsedMs < windowMs(evidence) / 2) return false
  return expectedScored(evidence) < evidence.settings.gate_min_samples_per_arm
}

function expectedScored(evidence: TimedEvidence): number {
  return (minScored(evidence) * windowMs(evidence)) / evidence.elapsedMs
}

function reportStarved(evidence: TimedEvidence): GateDecision {
  const expected = Math.floor(expectedScored(evidence))
  const reason = `Too few ${itemsOf(evidence)} are judged: ${scoresText(evidence)}. At this pace there are at most ${expected} of each at the end.${scarcityNote(evidence)}`
  return { state: 'starved', reason, action: null }
}

function keepWatching(evidence: TimedEvidence): GateDecision {
  const scores = scoresText(evidence)
  if (!hasEnoughSamples(evidence)) {
    return { state: 'collecting', reason: `So far ${scores}.${scarcityNote(evidence)}`, action: null }
  }
  const reason = `It is proven neither that the canary is worse by more than ${evidence.margin} nor that it is not: ${scores}.${proofNote(evidence)}`
  return { state: 'healthy', reason, action: null }
}

/** What a promotion still needs, besides scored answers. */
function proofNote(evidence: TimedEvidence): string {
  const worse = worseSegments(evidence).map(({ segment }) => segment)
  if (worse.length > 0) return ` It is worse by more than ${evidence.margin} in the segment ${worse.join(', ')}.`
  const doubtful = doubtfulSegments(evidence).map(({ segment }) => segment)
  if (isProvenByGrades(evidence) && doubtful.length > 0)
    return ` It seems worse in the segment ${doubtful.join(', ')}, so it is watched further.`
  const { target, canary } = evidence.arms
  const found = `${Math.floor(drawnOf(canary))} ${itemsOf(evidence)} of the canary and ${Math.floor(drawnOf(target))} of the target`
  const drawn = `People have graded ${found} that were drawn at random`
  return hasGrades(evidence)
    ? ` ${drawn}: more grades make the proof.${countedAgainst(evidence.arms)}`
    : ` ${drawn}, of at least ${evidence.rules.gradesPerArm} each.`
}

function hasEnoughSamples(evidence: TimedEvidence): boolean {
  return minScored(evidence) >= evidence.settings.gate_min_samples_per_arm
}

function minScored({ arms: { target, canary } }: TimedEvidence): number {
  return Math.min(target.scored, canary.scored)
}
