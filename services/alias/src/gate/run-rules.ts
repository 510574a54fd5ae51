import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Arm } from '@ratchet/contracts/internal-alias'
import { type LoggedRun, maxJudgedSteps } from '@ratchet/contracts/internal-logs'
import type { LogRow } from '@ratchet/contracts/logs'
import { dayMs, hourMs } from '@ratchet/service-kit/timing/durations'
import { isSampled } from '@ratchet/stats/deterministic-sample'
import type { GateJudge } from './gate-judge.ts'
import { isOfPopulation, type ScoringQuestion } from './sample-rules.ts'

/** Why a run of a gate has no verdict. `unfinished` ones count as failed, the others are left out. */
export type RunFailure = 'gone' | 'mixed' | 'assisted' | 'unfinished'

/** What a gate does with a run: waits for its end, has it judged, or does without a verdict. */
export type RunDecision = 'wait' | 'judge' | RunFailure

/** Time without a new step after which a run that did not end is not expected to, milliseconds. */
export const maxQuietMs = hourMs
/** Time after which a run that did not end counts as unfinished in any case, milliseconds. */
export const maxRunMs = dayMs
/** Age up to which a run without an outcome holds back the runs that began after it: its end, and time for the judge. */
export const runTimeoutMs = maxRunMs + hourMs
/** A run is completed ten minutes after its last step, so it is not read before, milliseconds. */
export const minRunMs = 600_000

export function judgesRuns(judge: Pick<GateJudge, 'unit'> | null): boolean {
  return judge?.unit === 'trace'
}

/** The arm to which the split assigned a request, whichever model answered it. */
export function assignedArm({ canary }: Pick<LogRow, 'canary'>): Arm {
  return canary ? 'canary' : 'target'
}

/**
 * Whether a request brings its run into the gate: it belongs to the judge's population, and the trace id is in the judge's
 * share. That does not depend on what answered, so the runs of both arms are a random part of all.
 */
export function isRunToBeScored({ since, until, judge, row }: Omit<ScoringQuestion, 'settings'>): boolean {
  const at = new Date(row.created_at)
  if (row.trace_id === null || at < since || at >= until || !isOfPopulation(judge, row)) return false
  return isSampled({ criterionId: judge.criterionId, logId: row.trace_id }, judge.percent)
}

export interface RunQuestion {
  readonly settings: Pick<AliasSettings, 'name' | 'target_model' | 'canary_model'>
  readonly arm: Arm
  /** From here on every process routes by the split. */
  readonly since: Date
  /** When the gate found the run. */
  readonly foundAt: Date
  readonly at: Date
}

/**
 * A run belongs to the gate only when the split was in force from its first step on and one model answered all steps. One
 * that does not end counts as failed in both arms: if it were left out, an arm could lose its worst runs.
 *
 * @param run null when the log has none of its steps any more
 */
export function decideRun(run: LoggedRun | null, question: RunQuestion): RunDecision {
  const { settings, arm, foundAt, at } = question
  if (run === null) return 'gone'
  const { steps } = run
  if (steps.some((step) => isOfOtherSplit(step, question))) return 'mixed'
  if (steps.some((step) => modelOf(settings, arm) !== answeringModel(settings, step))) return 'assisted'
  if (run.step_count > maxJudgedSteps) return 'unfinished'
  if (run.completed) return 'judge'
  const isQuiet = at.getTime() - new Date(run.last_at).getTime() >= maxQuietMs
  const isOld = at.getTime() - foundAt.getTime() >= maxRunMs
  return isQuiet || isOld ? 'unfinished' : 'wait'
}

function isOfOtherSplit(step: LogRow, { settings, arm, since }: RunQuestion): boolean {
  if (new Date(step.created_at) < since) return true
  return step.alias === settings.name && assignedArm(step) !== arm
}

function modelOf({ target_model, canary_model }: RunQuestion['settings'], arm: Arm): string | null {
  return arm === 'canary' ? canary_model : target_model
}

/** The model of an arm whose answer it is, also one out of the cache; null for a fallback and a call that named no alias. */
function answeringModel({ name }: RunQuestion['settings'], step: LogRow): string | null {
  return step.alias === name && step.fallback_from === null ? step.served_model : null
}
