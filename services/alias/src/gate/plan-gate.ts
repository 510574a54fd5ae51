import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Arm } from '@ratchet/contracts/internal-alias'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { partlyGradedRate } from '@ratchet/stats/partly-graded-rate'
import { samplesToProveMargin } from '@ratchet/stats/samples-to-prove-margin'
import { type ArmCounts, answersOf, type CountsByArm } from './arm-counts.ts'
import { tunedInformation } from './compare-graded.ts'
import { alphaOf } from './gate-evidence.ts'
import type { GateJudge } from './gate-judge.ts'

export type ByArm<T> = Readonly<Record<Arm, T>>

/** What the plan assumes about both arms. */
export interface AssumedArms {
  /** Share of answers that people would fail, 0..1. */
  readonly failRate: number
  readonly tpr: number
  readonly tnr: number
}

export interface PlanQuestion {
  readonly settings: Pick<
    AliasSettings,
    'canary_percent' | 'gate_confidence' | 'gate_rollback_threshold' | 'gate_min_samples_per_arm' | 'gate_window_hours'
  >
  readonly assumed: AssumedArms
}

/** Grades by the verdict of the judge on the graded answer. */
export interface GradesByVerdict {
  readonly fails: number
  readonly passes: number
}

/** What a gate needs to prove that a canary is not worse, if both arms are equal. */
export interface GatePlan {
  readonly scored: ByArm<number>
  readonly grades: ByArm<GradesByVerdict>
}

/** Chance with which the planned samples prove that an equal canary is not worse. */
export const plannedPower = 0.8
/** The standard normal quantile of `plannedPower`. */
const powerQuantile = 0.8416212335729143
/** Minimum grades in an arm for the sequence of the grades to be valid. */
export const minGradesPerArm = 50
/** Maximum grades that a plan names for an arm and a verdict. */
const maxGrades = 5_000
/** Part of the margin within which the verdicts alone must prove an equal canary. The rest is for grades, which cost more. */
const verdictPart = 0.6
/** A margin of 0 cannot be proven of an equal canary, so a plan is for at least this one. */
const minPlannedMargin = 0.01

/** What a gate needs, before it starts. */
export function planGate({ settings, assumed }: PlanQuestion): GatePlan {
  const share = Math.min(0.99, Math.max(0.01, settings.canary_percent / 100))
  const scored = scoredNeeded(settings, assumed, share)
  return { scored, grades: gradesNeeded(scored, assumed, neededError(settings)) }
}

type PlannedSettings = PlanQuestion['settings']

/** Standard error of the difference at which an equal canary is proven with `plannedPower`. */
function neededError(settings: PlannedSettings): number {
  const margin = Math.max(settings.gate_rollback_threshold, minPlannedMargin)
  // At the information for which the sequence is tuned, its margin is this multiple of the standard error.
  const multiple = Math.max(margin, 0.02) * Math.sqrt(tunedInformation(margin, alphaOf(settings)))
  return margin / (multiple + powerQuantile)
}

function scoredNeeded(settings: PlannedSettings, assumed: AssumedArms, share: number): ByArm<number> {
  const { fails } = verdictsOf(assumed)
  const margin = Math.max(settings.gate_rollback_threshold, minPlannedMargin) * verdictPart
  const passRate = 1 - Math.min(0.99, Math.max(0.01, fails))
  const proven = samplesToProveMargin({ passRate, margin, share1: share }, { alpha: alphaOf(settings) })
  const total = Math.max(proven, settings.gate_min_samples_per_arm / Math.min(share, 1 - share))
  return { canary: Math.ceil(total * share), target: Math.ceil(total * (1 - share)) }
}

/** Share of answers with the verdict FAIL, and the human fail rates among those with FAIL and with PASS. */
function verdictsOf({ failRate, tpr, tnr }: AssumedArms) {
  const fails = failRate * tpr + (1 - failRate) * (1 - tnr)
  return {
    fails,
    precision: fails === 0 ? 1 : (failRate * tpr) / fails,
    missed: fails === 1 ? 0 : (failRate * (1 - tpr)) / (1 - fails),
  }
}

/** Grades that are added at once, at least. */
const minStep = 5

type Grades = ByArm<GradesByVerdict>

/** Adds grades where they shrink the error of the difference most, until it is small enough and both arms have enough. */
function gradesNeeded(scored: ByArm<number>, assumed: AssumedArms, error: number): Grades {
  const rows = { target: rowsOf(scored.target, assumed), canary: rowsOf(scored.canary, assumed) }
  const varianceWith = ({ target, canary }: Grades) =>
    // A canary may be worse, and a target better, than it seems.
    errorOf(rows.canary, canary, assumed, 'errorAbove') ** 2 + errorOf(rows.target, target, assumed, 'errorBelow') ** 2
  let grades: Grades = { target: firstGrades(rows.target), canary: firstGrades(rows.canary) }
  for (;;) {
    const isPrecise = varianceWith(grades) <= error ** 2
    const next = largerBy(grades, rows)
      .filter(({ arm }) => !isPrecise || sumOf(grades[arm]) < minGradesPerArm)
      .map((each) => ({ ...each, variance: varianceWith(each.grades) }))
      .toSorted((one, other) => one.variance - other.variance)[0]
    if (next === undefined) return grades
    grades = next.grades
  }
}

function rowsOf(scored: number, assumed: AssumedArms): GradesByVerdict {
  const fails = Math.round(scored * verdictsOf(assumed).fails)
  return { fails, passes: scored - fails }
}

function firstGrades({ fails, passes }: GradesByVerdict): GradesByVerdict {
  return { fails: Math.min(minStep, fails), passes: Math.min(minStep, passes) }
}

function errorOf(
  rows: GradesByVerdict,
  grades: GradesByVerdict,
  assumed: AssumedArms,
  side: 'errorAbove' | 'errorBelow',
): number {
  const { precision, missed } = verdictsOf(assumed)
  const rate = partlyGradedRate({
    judgedFail: { rows: rows.fails, graded: grades.fails, humanFails: grades.fails * precision },
    judgedPass: { rows: rows.passes, graded: grades.passes, humanFails: grades.passes * missed },
  })
  return rate === null ? Number.POSITIVE_INFINITY : rate[side]
}

/** Each way to add one step of grades. */
function largerBy(grades: Grades, rows: Grades): readonly { readonly arm: Arm; readonly grades: Grades }[] {
  return (['target', 'canary'] as const).flatMap((arm) =>
    (['fails', 'passes'] as const).flatMap((side) => {
      const step = Math.max(minStep, Math.ceil(grades[arm][side] / 20))
      const more = Math.min(rows[arm][side], maxGrades, grades[arm][side] + step)
      return more === grades[arm][side] ? [] : [{ arm, grades: { ...grades, [arm]: { ...grades[arm], [side]: more } } }]
    }),
  )
}

function sumOf({ fails, passes }: GradesByVerdict): number {
  return fails + passes
}

/** What is assumed about the arms before they have verdicts. */
const usual: AssumedArms = { failRate: 0.1, tpr: 0.9, tnr: 0.9 }
/** Verdicts of the target from which its fail rate is estimated. */
const minVerdicts = 50

/** The judge's measured rates, and the fail rate of the target by its verdicts so far; usual values where unknown. */
export function assumedArms(judge: Pick<GateJudge, 'tpr' | 'tnr'> | null, target: ArmCounts | null): AssumedArms {
  const tpr = judge?.tpr ?? usual.tpr
  const tnr = judge?.tnr ?? usual.tnr
  if (target === null || target.scored < minVerdicts || tpr + tnr <= 1) return { ...usual, tpr, tnr }
  const failRate = (target.fails / target.scored + tnr - 1) / (tpr + tnr - 1)
  return { failRate: Math.min(0.99, Math.max(0.01, failRate)), tpr, tnr }
}

export interface Pace {
  readonly arms: CountsByArm
  /** Time in which they were counted, milliseconds. */
  readonly elapsedMs: number
  /** Share of answers that the judge scores, percent. */
  readonly percent: number
  readonly unit: GateJudge['unit']
}

/** Less time says too little about the traffic of an hour, milliseconds. */
const minElapsedMs = 60_000

/** Complete answers of both arms in an hour; null without any, and when they were counted too short a time. */
export function answersPerHour({ arms, elapsedMs }: Pick<Pace, 'arms' | 'elapsedMs'>): number | null {
  const answers = answersOf(arms.target) + answersOf(arms.canary)
  return elapsedMs < minElapsedMs || answers === 0 ? null : answers / (elapsedMs / hourMs)
}

/**
 * Answers or runs of both arms that the judge scores in an hour, by the traffic so far; null when there is none. How many
 * requests make a run is not known before there are runs.
 */
export function scoredPerHour({ arms: { target, canary }, elapsedMs, percent, unit }: Pace): number | null {
  if (elapsedMs < minElapsedMs) return null
  const scored = target.scored + canary.scored
  if (unit === 'trace') return scored === 0 ? null : scored / (elapsedMs / hourMs)
  const expected = (answersOf(target) + answersOf(canary)) * (percent / 100)
  // Answers of a population that the judge leaves out are served but never scored.
  const counted = scored > minVerdicts ? scored : expected
  return counted === 0 ? null : counted / (elapsedMs / hourMs)
}
