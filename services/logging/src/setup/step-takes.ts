import { repeatedRows } from '@ratchet/contracts/calibrations'
import type { GradingWork } from '@ratchet/contracts/internal-judging'
import type { NextAction, SetupStatus, StepTakes } from '@ratchet/contracts/setup-status'

export interface StepFacts {
  readonly grades: SetupStatus['grades']
  readonly judges: SetupStatus['judges']
  readonly work: GradingWork
  /** Of an eval with the usual question. */
  readonly evalSamples: number
  /** Exchanges in the log; null when they cannot be counted. */
  readonly exchanges: number | null
  /** New ones in a day; null without any. */
  readonly exchangesPerDay: number | null
}

/** What the next step takes, before anything is started; null for a step that takes nothing. */
export function stepTakes(action: NextAction, facts: StepFacts): StepTakes | null {
  const { grades, judges, work } = facts
  switch (action) {
    case 'enable_logging':
    case 'create_judge':
      return null
    case 'send_traffic':
      return { ...nothing, samples: grades.needed_to_calibrate, days: null }
    case 'grade':
      return { ...ofGrades(grades.needed_to_calibrate, facts), cost_usd: 0 }
    case 'calibrate':
      return { ...nothing, samples: work.drawn_grades, cost_usd: judged(work.drawn_grades, work) }
    case 'grade_fails':
      return ofGrades(expectedGrades({ fails: judges.fail_grades_needed, passes: 0 }, work), facts)
    case 'run_eval':
      return ofEval(facts)
    case 'create_alias':
    case 'none':
      return judges.can_act > 0 ? null : untilActs(facts)
  }
}

const nothing: StepTakes = { samples: 0, grades: 0, days: 0, cost_usd: 0, minutes: 0 }

/** Grades of items as they are drawn, with the calibration that uses them and those before. */
function ofGrades(grades: number | null, facts: StepFacts): StepTakes {
  const { work } = facts
  if (grades === null) return { samples: null, grades: null, days: null, cost_usd: null, minutes: null }
  const samples = work.drawn_grades + grades
  return {
    samples,
    grades,
    days: daysUntil(samples, facts),
    cost_usd: grades === 0 ? 0 : judged(samples, work),
    minutes: (grades * work.seconds_per_grade) / 60,
  }
}

/** Its price depends on the models that it compares. */
function ofEval(facts: StepFacts): StepTakes {
  const { grades, minutes } = facts.judges.can_act > 0 ? nothing : untilActs(facts)
  const samples = facts.evalSamples
  return { samples, grades, days: daysUntil(samples, facts), cost_usd: null, minutes }
}

function untilActs(facts: StepFacts): StepTakes {
  const { act_fail_grades_needed: fails, act_pass_grades_needed: passes } = facts.judges
  return ofGrades(fails === null || passes === null ? null : expectedGrades({ fails, passes }, facts.work), facts)
}

/**
 * Items that must be drawn until both classes are expected to be there in the number that is missing.
 *
 * @returns null when the share of the classes is not known
 */
function expectedGrades(
  { fails, passes }: { readonly fails: number; readonly passes: number },
  { fail_share: share }: GradingWork,
): number | null {
  if (fails === 0 && passes === 0) return 0
  if (share === null) return null
  const needed = Math.max(fails === 0 ? 0 : fails / share, passes === 0 ? 0 : passes / (1 - share))
  return Number.isFinite(needed) ? Math.ceil(needed) : null
}

/** A calibration judges some items a second time. */
function judged(items: number, { usd_per_verdict: usd }: GradingWork): number | null {
  return usd === null ? null : (items + repeatedRows(items)) * usd
}

function daysUntil(samples: number, { exchanges, exchangesPerDay }: StepFacts): number | null {
  if (exchanges === null) return null
  if (exchanges >= samples) return 0
  return exchangesPerDay === null ? null : (samples - exchanges) / exchangesPerDay
}

const msPerDay = 86_400_000
/** Traffic of a shorter time says little about a day. */
const minDays = 1 / 24

/** Exchanges in a day, since the oldest one that is in the log; null without any. */
export function exchangesPerDay(
  { exchanges, firstAt }: { readonly exchanges: number; readonly firstAt: Date | null },
  now: Date,
): number | null {
  if (exchanges === 0 || firstAt === null) return null
  return exchanges / Math.max(minDays, (now.getTime() - firstAt.getTime()) / msPerDay)
}
