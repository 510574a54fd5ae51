import { type GradingWork, unknownWork } from '@ratchet/contracts/internal-judging'
import type { NextAction, SetupStatus } from '@ratchet/contracts/setup-status'
import type { TrafficTotals } from '../segments/segment-traffic.ts'
import type { LoggingSettings } from '../workspaces/pg-workspace-reads.ts'
import { exchangesPerDay, stepTakes } from './step-takes.ts'

/** Progress of a workspace after its first traffic, as judging, eval and alias report it. */
export interface LoopProgress {
  readonly grades: SetupStatus['grades']
  readonly judges: SetupStatus['judges']
  readonly work: GradingWork
  readonly evals: number
  /** Samples of an eval with the usual question. */
  readonly evalSamples: number
  readonly aliases: number
}

/** The progress of a workspace that has only sent traffic. */
export const noProgress: LoopProgress = {
  grades: { total: 0, needed_to_calibrate: 0 },
  judges: {
    total: 0,
    calibrated: 0,
    trustworthy: 0,
    can_act: 0,
    fail_grades_needed: 0,
    act_fail_grades_needed: null,
    act_pass_grades_needed: null,
    cannot_act_reason: null,
  },
  work: unknownWork,
  evals: 0,
  evalSamples: 0,
  aliases: 0,
}

export interface SetupFacts {
  readonly settings: LoggingSettings
  /** Null when the log is unavailable. */
  readonly traffic: TrafficTotals | null
  readonly progress: LoopProgress
  readonly now: Date
}

export function setupStatusOf({ settings, traffic, progress, now }: SetupFacts): SetupStatus {
  const { grades, judges } = progress
  const exchanges = traffic?.exchanges ?? null
  const action = nextAction({ settings, exchanges, progress })
  const pace = traffic === null ? null : exchangesPerDay(traffic, now)
  return {
    workspace: { slug: settings.slug, name: settings.name },
    logging: { enabled: settings.isLogging, retention_days: settings.retentionDays },
    traffic: { logged_conversations: exchanges },
    grades,
    judges,
    next: {
      action,
      detail: `${details[action]}${untilJudgeActs(action, judges)}`,
      takes: stepTakes(action, { ...progress, exchanges, exchangesPerDay: pace }),
    },
  }
}

interface StepOrder extends Pick<SetupFacts, 'settings' | 'progress'> {
  readonly exchanges: number | null
}

/** The first missing step. Each step needs the one before it. */
function nextAction({ settings, exchanges, progress }: StepOrder): NextAction {
  if (!settings.isLogging) return 'enable_logging'
  if (exchanges === 0) return 'send_traffic'
  const ofJudging = nextOfJudging(progress)
  if (ofJudging !== null) return ofJudging
  if (progress.evals === 0) return 'run_eval'
  return progress.aliases === 0 ? 'create_alias' : 'none'
}

/** The next step in judging; null when judging is complete, so that the steps after it count. */
export function nextOfJudging({ grades, judges }: Pick<LoopProgress, 'grades' | 'judges'>): NextAction | null {
  if (judges.total === 0) return 'create_judge'
  if (judges.calibrated === 0) return grades.needed_to_calibrate > 0 ? 'grade' : 'calibrate'
  return judges.trustworthy === 0 && judges.fail_grades_needed > 0 ? 'grade_fails' : null
}

const details: Readonly<Record<NextAction, string>> = {
  enable_logging: 'Turn request logging on for this workspace in the dashboard.',
  send_traffic:
    'Send requests to /v1/chat/completions or /v1/messages, or traces to /v1/traces; answers appear in the log. /v1/responses is logged too if the settings of logging say so.',
  create_judge: 'Describe what makes an answer fail: POST /v1/criteria.',
  grade: 'Grade the exchanges that GET /v1/criteria/{id}/next_to_grade lists, until a judge can be calibrated.',
  calibrate: 'Calibrate a judge against the grades.',
  grade_fails:
    'Grade more exchanges that GET /v1/criteria/{id}/next_to_grade lists, until enough of them fail: failing answers that people picked prove nothing about the traffic.',
  run_eval: 'Compare a candidate with the model you run today: POST /v1/evals.',
  create_alias: 'Put an alias in front of your model, so that it can be moved: PUT /v1/aliases.',
  none: 'Nothing is missing.',
}

/** Evals and aliases can be made before a judge can act, but they prove nothing then, and no gate acts. */
function untilJudgeActs(action: NextAction, judges: SetupStatus['judges']): string {
  const isLater = action === 'run_eval' || action === 'create_alias' || action === 'none'
  if (!isLater || judges.can_act > 0 || judges.cannot_act_reason === null) return ''
  const { act_fail_grades_needed: fails, act_pass_grades_needed: passes } = judges
  const missing =
    fails === null || passes === null || fails + passes === 0
      ? ''
      : ` At its present rates it needs ${fails} more failing and ${passes} more passing answers from GET /v1/criteria/{id}/next_to_grade, graded, and a calibration.`
  return ` No judge can act yet, so evals are no evidence and gates only recommend: ${judges.cannot_act_reason}.${missing}`
}

/** The status as lines of `key=value` in the order of the JSON. A null value is an empty text. */
export function setupStatusText(status: SetupStatus): string {
  return linesOf(status, '').join('')
}

function linesOf(value: object, prefix: string): string[] {
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    typeof member === 'object' && member !== null
      ? linesOf(member, `${prefix}${key}.`)
      : [`${prefix}${key}=${String(member ?? '').replace(/\s+/g, ' ')}\n`],
  )
}
