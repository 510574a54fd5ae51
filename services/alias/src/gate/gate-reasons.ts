import { hourMs } from '@ratchet/service-kit/timing/durations'
import { chosenOf } from './arm-counts.ts'
import type { TimedEvidence } from './gate-timing.ts'
import { judgesRuns } from './run-rules.ts'

/* The words in which a gate explains its decisions to people. */

export function scoresText(evidence: TimedEvidence): string {
  const { arms, settings } = evidence
  const { target, canary } = arms
  return `${canary.scored} scored ${itemsOf(evidence)} of the canary and ${target.scored} of the target; at least ${settings.gate_min_samples_per_arm} of each are required`
}

export function sequenceText({ difference }: TimedEvidence): string {
  return difference === null ? '' : rangeText([difference.cs.low, difference.cs.high])
}

export function gradedText({ graded }: Pick<TimedEvidence, 'graded'>): string {
  return graded === null ? '' : rangeText([graded.interval.low, graded.interval.high])
}

export function rangeText([low, high]: readonly [number, number | null]): string {
  return high === null ? `${low.toFixed(4)} and more` : `${low.toFixed(4)} to ${high.toFixed(4)}`
}

export function hoursText(ms: number): string {
  return `${Number((ms / hourMs).toFixed(1))} h`
}

/** Number of answers among which the judge's share is expected to be above zero. */
const minAnswersForNote = 100

/** Milliseconds after which the first answers of a split are in the log and selected, also under load. */
const selectionMs = 300_000

/** Why so little is judged, where the reason is known. */
export function scarcityNote(evidence: TimedEvidence): string {
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

function mixedNote(evidence: TimedEvidence): string {
  const { arms, settings, judge } = evidence
  const { target, canary } = arms
  const mixed = target.mixed + canary.mixed
  if (judgesRuns(judge)) return runsNote(evidence)
  if (mixed === 0) return ''
  const remedy =
    settings.sticky_by === 'trace' ? 'send trace ids' : 'send trace ids and keep traces together with sticky_by'
  return ` ${mixed} answers were left out, because an earlier turn may be of the other arm: ${remedy}.`
}

function runsNote({ arms: { target, canary } }: TimedEvidence): string {
  const assisted = target.assisted + canary.assisted
  const mixed = target.mixed + canary.mixed
  const before = mixed === 0 ? '' : ` ${mixed} runs were left out, because they began before the split.`
  if (assisted === 0) return before
  return `${before} ${assisted} runs were left out, because a fallback, or a call that did not name the alias, answered a step: send all requests of a run to the alias.`
}

export function itemsOf({ judge }: TimedEvidence): string {
  return judgesRuns(judge) ? 'runs' : 'answers'
}
