import type { GatePlan as GatePlanReply } from '@ratchet/contracts/gate-plan'
import type { Arm } from '@ratchet/contracts/internal-alias'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import type { Epoch } from '../aliases/alias.ts'
import type { ArmCounts, CountsByArm, ShadowCounts } from './arm-counts.ts'
import type { GateJudge } from './gate-judge.ts'
import { type PlannedSpending, planCost } from './plan-cost.ts'
import {
  type AssumedArms,
  answersPerHour,
  assumedArms,
  type GatePlan,
  type PlanQuestion,
  planGate,
  plannedPower,
  scoredPerHour,
} from './plan-gate.ts'

export interface ShownPlan {
  readonly plan: GatePlan
  readonly judge: GateJudge | null
  readonly settings: PlannedSettings
  readonly assumed: AssumedArms
  /** See `scoredPerHour`. */
  readonly scoredPerHour: number | null
  /** See `PlannedSpending`, as is the next. */
  readonly requestsPerHour: number | null
  readonly shadow: ShadowCounts | null
  /** The running gate; null before its start. */
  readonly running: RunningGate | null
}

type PlannedSettings = PlanQuestion['settings'] & PlannedSpending['settings']

interface RunningGate {
  readonly arms: CountsByArm
  readonly startedAt: Date
  readonly at: Date
}

/** A plan for a reply, with what is missing and the time until the judge has scored it. */
export function planReply(shown: ShownPlan): GatePlanReply {
  const { plan, judge, settings, assumed, scoredPerHour: pace, running, ...spending } = shown
  const missingOf = (arm: Arm) => missingIn(plan, arm, running?.arms[arm] ?? null)
  const [target, canary] = [missingOf('target'), missingOf('canary')]
  const share = settings.canary_percent / 100
  const hours =
    pace === null || pace <= 0 ? null : Math.max(target.scored / (pace * (1 - share)), canary.scored / (pace * share))
  const readyAt = running === null || hours === null ? null : dateAfter(running.at, hours)
  const elapsed = running === null ? 0 : (running.at.getTime() - running.startedAt.getTime()) / hourMs
  return {
    unit: unitOf(judge),
    scored: plan.scored,
    grades: plan.grades,
    missing: {
      scored: { target: target.scored, canary: canary.scored },
      grades: { target: target.grades, canary: canary.grades },
    },
    scored_per_hour: pace,
    hours,
    ready_at: readyAt?.toISOString() ?? null,
    fits_window: hours === null ? null : elapsed + hours <= settings.gate_window_hours,
    cost: planCost({ ...spending, settings, judge, hours, verdicts: target.scored + canary.scored }),
    assumed: { fail_rate: assumed.failRate, tpr: assumed.tpr, tnr: assumed.tnr, power: plannedPower },
  }
}

function missingIn({ scored, grades }: GatePlan, arm: Arm, counts: ArmCounts | null) {
  const above = (needed: number, found = 0) => Math.max(0, Math.ceil(needed - found))
  return {
    scored: above(scored[arm], counts?.scored),
    grades: above(grades[arm].fails, counts?.gradedFails.drawn) + above(grades[arm].passes, counts?.gradedPasses.drawn),
  }
}

/** The last moment of the calendar, hours from now at most: a plan may need longer than a date can say. */
const maxHours = 24 * 365 * 100

function dateAfter(at: Date, hours: number): Date {
  return new Date(at.getTime() + Math.min(hours, maxHours) * hourMs)
}

const usualPercent = 10

export interface PlannedSplit {
  /** Without a split, a canary of ten percent is planned. */
  readonly settings: PlannedSettings
  readonly judge: GateJudge | null
  /** Counts of the present split, whose traffic is the pace. */
  readonly arms: CountsByArm
  readonly shadow: ShadowCounts | null
  readonly epoch: Pick<Epoch, 'startedAt'>
  readonly at: Date
  /** Null to estimate it. */
  readonly failRate: number | null
}

/** The plan of a gate that has not started. */
export function planBefore(split: PlannedSplit): GatePlanReply {
  const { settings: planned, judge, arms, shadow, epoch, at, failRate } = split
  const isSplit = planned.canary_percent > 0 && planned.canary_percent < 100
  const settings = isSplit ? planned : { ...planned, canary_percent: usualPercent }
  const estimated = assumedArms(judge, arms.target)
  const assumed = failRate === null ? estimated : { ...estimated, failRate }
  const elapsedMs = at.getTime() - epoch.startedAt.getTime()
  return planReply({
    plan: planGate({ settings, assumed }),
    judge,
    settings,
    assumed,
    scoredPerHour: scoredPerHour({ arms, elapsedMs, percent: judge?.percent ?? 0, unit: unitOf(judge) }),
    requestsPerHour: answersPerHour({ arms, elapsedMs }),
    shadow,
    running: null,
  })
}

function unitOf(judge: GateJudge | null): GateJudge['unit'] {
  return judge?.unit ?? 'request'
}
