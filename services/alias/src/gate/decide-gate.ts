import type { GateState } from '@ratchet/contracts/aliases'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { chosenOf, drawnOf } from './arm-counts.ts'
import type { ComparedSegment } from './compare-segments.ts'
import { countedAgainst } from './counted-against.ts'
import type { GateEvidence } from './gate-evidence.ts'
import { reasonForDistrust } from './gate-judge.ts'
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

/** The operator's rules for gates. */
export interface GateRules {
  /** Time before a gate of mode `auto` may promote a canary, milliseconds. A day contains hours of high and of low traffic. */
  readonly promoteAfterMs: number
  /** Minimum random answers of each arm that people must have graded; their sequence is not valid with fewer. */
  readonly gradesPerArm: number
}

/** The rules and the time that belong to one evaluation. */
export interface GateTiming {
  /** Time since the epoch started, milliseconds. */
  readonly elapsedMs: number
  readonly rules: GateRules
}

type Evidence = GateEvidence & GateTiming

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

function breachedGuard({ guard }: Evidence): string | null {
  const check = guard.find((each) => each.breached)
  if (check === undefined || check.cs === null) return null
  return `The guard ${check.name} is breached: all of ${rangeText(check.cs)} lies above ${check.limit}.`
}

/** Low, because the test is repeated with every evaluation. */
const srmAlpha = 0.0001

function hasSampleRatioMismatch({ srmP }: Evidence): boolean {
  return srmP !== null && srmP < srmAlpha
}

/** The row of an alias has no column for the cause of a decision, so the start of a reason is read. */
const srmPrefix = 'srm: '

export function isSrmReason(reason: string | null): boolean {
  return reason?.startsWith(srmPrefix) === true
}

function awaitEvenArms({ srmP }: Evidence): GateDecision {
  const reason = `${srmPrefix}the sizes of the arms do not match the split (p = ${srmP?.toExponential(1)}), so nothing is decided.`
  return { state: 'inconclusive', reason, action: null, cause: 'srm' }
}

/** Whether enough answers of each arm were drawn and graded for their sequence to be valid. */
function hasGrades({ arms: { target, canary }, rules }: Evidence): boolean {
  return Math.min(drawnOf(target), drawnOf(canary)) >= rules.gradesPerArm
}

function isWorseByGrades(evidence: Evidence): boolean {
  const { graded, margin } = evidence
  return graded !== null && hasGrades(evidence) && graded.interval.high < -margin
}

/**
 * The verdicts alone may end a canary before people have graded answers, because a rollback is the safe side. Once there
 * are grades of both arms, they have to point the same way: the judge may fail the style of the canary.
 */
function isWorseByVerdicts(evidence: Evidence): boolean {
  const { difference, graded, margin } = evidence
  if (difference === null || difference.cs.high >= -margin) return false
  return graded === null || !hasGrades(evidence) || graded.difference < -margin
}

function isProvenByGrades(evidence: Evidence): boolean {
  const { gradedAtWorst: graded, margin } = evidence
  return graded !== null && hasGrades(evidence) && graded.interval.low > -margin
}

function worseSegments({ segments }: Evidence): readonly ComparedSegment[] {
  return segments.filter(({ isWorse }) => isWorse)
}

/**
 * Whether only some segments are worse, so that the others can continue; when the whole canary is proven worse too, the rest
 * must at least seem good enough. A gate of runs takes none out, because a rule for a family would tear runs apart.
 */
function isWorseInFamiliesOnly(evidence: Evidence): boolean {
  const { rest, margin, settings, judge } = evidence
  const mayAct = settings.gate_mode === 'auto' && reasonForDistrust(judge) === null && !judgesRuns(judge)
  if (rest === null || !mayAct || rest.interval.high < -margin) return false
  const isWorse = isWorseByGrades(evidence) || isWorseByVerdicts(evidence)
  return !isWorse || rest.difference >= -margin
}

function rollBackFamilies(evidence: Evidence): GateDecision {
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
function doubtfulSegments({ segments }: Evidence): readonly ComparedSegment[] {
  return segments.filter(({ isRolledBack, logEValue }) => !isRolledBack && logEValue > 0)
}

function rollBackByGrades(evidence: Evidence): GateDecision {
  const reason = `People's grades show that the canary's pass rate is lower by more than ${evidence.margin}: all of ${gradedText(evidence)} lies below.`
  return rollBack(evidence, reason, null)
}

function rollBackByVerdicts(evidence: Evidence): GateDecision {
  const { margin, judge } = evidence
  const reason = `The canary's pass rate is lower by more than ${margin}: all of ${sequenceText(evidence)} lies below.`
  return rollBack(evidence, reason, reasonForDistrust(judge))
}

/** @param obstacle why the gate may not act by itself; a guard needs no judge, so it has none */
function rollBack({ settings }: Evidence, reason: string, obstacle: string | null): GateDecision {
  if (settings.gate_mode !== 'auto') return { state: 'rollback_recommended', reason, action: null }
  if (obstacle === null) return { state: 'rolled_back', reason, action: 'roll_back' }
  return { state: 'rollback_recommended', reason: `${reason} The gate does not act: ${obstacle}.`, action: null }
}

function promote(evidence: Evidence): GateDecision {
  const { margin, settings } = evidence
  const reason = `The grades of both arms prove that the canary's pass rate is not lower by ${margin} or more: all of ${gradedText({ graded: evidence.gradedAtWorst })} lies above.`
  if (settings.gate_mode !== 'auto') return { state: 'promote_ready', reason, action: null }
  const obstacle = obstacleToPromotion(evidence)
  if (obstacle === null) return { state: 'promoted', reason, action: 'promote' }
  return { state: 'promote_ready', reason: `${reason} The gate does not act: ${obstacle}.`, action: null }
}

function obstacleToPromotion(evidence: Evidence): string | null {
  const { judge, elapsedMs, rules } = evidence
  const distrust = reasonForDistrust(judge)
  if (distrust !== null) return distrust
  if (judge?.isOverCap === true) return 'its judge has spent its weekly cap'
  if (isWindowOver(evidence)) return 'its window is over'
  if (elapsedMs >= rules.promoteAfterMs) return null
  return `a canary is watched for ${hoursText(rules.promoteAfterMs)} before it is promoted, this one for ${hoursText(elapsedMs)} so far`
}

function endWindow(evidence: Evidence): GateDecision {
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
function isWindowOver(evidence: Evidence): boolean {
  return evidence.elapsedMs >= windowMs(evidence)
}

function windowMs({ settings }: Evidence): number {
  return settings.gate_window_hours * hourMs
}

/** From the middle of the window on: at this pace an arm will not have enough samples by its end. */
function isStarved(evidence: Evidence): boolean {
  if (evidence.elapsedMs < windowMs(evidence) / 2) return false
  return expectedScored(evidence) < evidence.settings.gate_min_samples_per_arm
}

function expectedScored(evidence: Evidence): number {
  return (minScored(evidence) * windowMs(evidence)) / evidence.elapsedMs
}

function reportStarved(evidence: Evidence): GateDecision {
  const expected = Math.floor(expectedScored(evidence))
  const reason = `Too few ${itemsOf(evidence)} are judged: ${scoresText(evidence)}. At this pace there are at most ${expected} of each at the end.${scarcityNote(evidence)}`
  return { state: 'starved', reason, action: null }
}

function keepWatching(evidence: Evidence): GateDecision {
  const scores = scoresText(evidence)
  if (!hasEnoughSamples(evidence)) {
    return { state: 'collecting', reason: `So far ${scores}.${scarcityNote(evidence)}`, action: null }
  }
  const reason = `The canary does not look worse, but this is not proven yet: ${scores}.${proofNote(evidence)}`
  return { state: 'healthy', reason, action: null }
}

/** What a promotion still needs, besides scored answers. */
function proofNote(evidence: Evidence): string {
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

/** Number of answers among which the judge's share is expected to be above zero. */
const minAnswersForNote = 100

/** Milliseconds after which the first answers of a split are in the log and selected, also under load. */
const selectionMs = 300_000

/** Why so little is judged, where the reason is known. */
function scarcityNote(evidence: Evidence): string {
  const { arms, judge } = evidence
  if (judge === null) return ' Its judge does not exist any more.'
  if (judge.isRetired) return ' Its judge is retired: nothing is judged until it is in use again.'
  if (judge.isOverCap) return ' Its judge has spent its weekly cap: the rest waits for the next week.'
  if (judge.percent === 0) return ' Its judge judges 0 % of the traffic: raise its online_percent.'
  const chosen = [arms.target, arms.canary].reduce((sum, arm) => sum + arm.open + chosenOf(arm), 0)
  if (chosen > 0 || arms.target.served + arms.canary.served < minAnswersForNote) return mixedNote(evidence)
  if (evidence.elapsedMs < selectionMs) return ' Answers are selected a minute or two after they are given.'
  return " No answer was selected. Check that logging is on and that the judge's population contains this traffic."
}

function mixedNote(evidence: Evidence): string {
  const { arms, settings, judge } = evidence
  const { target, canary } = arms
  const mixed = target.mixed + canary.mixed
  if (judgesRuns(judge)) return runsNote(evidence)
  if (mixed === 0) return ''
  const remedy =
    settings.sticky_by === 'trace' ? 'send trace ids' : 'send trace ids and keep traces together with sticky_by'
  return ` ${mixed} answers were left out, because an earlier turn may be of the other arm: ${remedy}.`
}

function runsNote({ arms: { target, canary } }: Evidence): string {
  const assisted = target.assisted + canary.assisted
  const mixed = target.mixed + canary.mixed
  const before = mixed === 0 ? '' : ` ${mixed} runs were left out, because they began before the split.`
  if (assisted === 0) return before
  return `${before} ${assisted} runs were left out, because a fallback, or a call that did not name the alias, answered a step: send all requests of a run to the alias.`
}

function itemsOf({ judge }: Evidence): string {
  return judgesRuns(judge) ? 'runs' : 'answers'
}

function hasEnoughSamples(evidence: Evidence): boolean {
  return minScored(evidence) >= evidence.settings.gate_min_samples_per_arm
}

function minScored({ arms: { target, canary } }: Evidence): number {
  return Math.min(target.scored, canary.scored)
}

function scoresText(evidence: Evidence): string {
  const { arms, settings } = evidence
  const { target, canary } = arms
  return `${canary.scored} scored ${itemsOf(evidence)} of the canary and ${target.scored} of the target; at least ${settings.gate_min_samples_per_arm} of each are required`
}

function sequenceText({ difference }: Evidence): string {
  return difference === null ? '' : rangeText([difference.cs.low, difference.cs.high])
}

function gradedText({ graded }: Pick<Evidence, 'graded'>): string {
  return graded === null ? '' : rangeText([graded.interval.low, graded.interval.high])
}

function rangeText([low, high]: readonly [number, number | null]): string {
  return high === null ? `${low.toFixed(4)} and more` : `${low.toFixed(4)} to ${high.toFixed(4)}`
}

function hoursText(ms: number): string {
  return `${Number((ms / hourMs).toFixed(1))} h`
}
