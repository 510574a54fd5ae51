import type { Verdict } from '@ratchet/contracts/criteria'
import type { GradingForecast } from '@ratchet/contracts/scans'
import { TRUST_BAR } from '@ratchet/stats/grades-needed'
import { gradingCurveSteps } from '@ratchet/stats/grading-curve'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import type { ClassGrades } from '@ratchet/stats/tally-class'
import type { JudgeMeasures } from '../calibration/calibration-result.ts'
import { provesToAct, rightToAct } from '../calibration/right-to-act.ts'
import { stratumKey } from '../calibration/strata.ts'
import { gradingOrder, type OpenStratum } from './choose-candidates.ts'
import { type ForecastStratum, forecastStrata } from './forecast-strata.ts'
import type { GradingStrategy } from './grading-frame.ts'
import type { GradingTakes } from './grading-takes.ts'

export interface ForecastFacts {
  readonly frameId: string
  /** Those of the frame, with what was listed. */
  readonly strata: readonly OpenStratum[]
  readonly strategy: GradingStrategy
  /** Of the current calibration; null without one. */
  readonly measures: JudgeMeasures | null
  /** The forecast is the same for the same text. */
  readonly seed: string
}

/** The forecast without what it takes of people and money. */
export type GradesForecast = Omit<GradingForecast, keyof GradingTakes>

const enoughChance = 0.8
const draws = 200
const maxGrades = 1_000
/** After these numbers of further grades the judge is calibrated in the draws. */
const checkpoints = [...steps(2, 20, 2), ...steps(25, 100, 5), ...steps(120, 300, 20), ...steps(350, maxGrades, 50)]

function steps(from: number, to: number, by: number): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by)
}

/**
 * The chance that a judge is proven after a number of further grades: its true rates are drawn from what is known of them,
 * then grades from these rates, in the order in which the strategy lists exchanges. All of it takes some hundred milliseconds,
 * so the caller gets the turn between steps.
 */
export function* planGrading(facts: ForecastFacts): Generator<void, GradesForecast> {
  const { measures, strata, strategy } = facts
  const openClasses = openClassesOf(measures)
  const none = {
    object: 'criterion.grading_plan' as const,
    open_sides: sidesOf(openClasses),
    chance: enoughChance,
    order: [],
    curve: [],
  }
  if (measures !== null && rightToAct(measures).reason === null) return { ...none, grades_needed: 0, reason: null }
  const known = forecastStrata(strata, measures)
  if (known === null) return { ...none, grades_needed: null, reason: 'not_measured' }
  const order = gradingOrder(strata, strategy, { limit: maxGrades, openClasses })
  yield
  const { neededEValue } = rightToAct(measures)
  const curve = yield* curveOf(known, order, { seed: facts.seed, neededEValue })
  const needed = curve.find(({ p_can_act: chance }) => chance >= enoughChance)?.grades ?? null
  const last = curve.at(-1)?.grades ?? 0
  const shown = curve.filter(({ grades }) => shownGrades.includes(grades) || grades === needed || grades === last)
  return {
    ...none,
    grades_needed: needed,
    reason: needed === null ? reasonOf(measures, order.length) : null,
    order: splitOf(facts, order.slice(0, needed ?? order.length)),
    curve: shown,
  }
}

const shownGrades = [10, 20, 50, 100, 200, 500, 1_000]

/** The classes whose rate does not allow to act yet. */
export function openClassesOf(measures: JudgeMeasures | null): readonly Verdict[] {
  const { isProvenTpr, isProvenTnr } = rightToAct(measures)
  const isOpen = (isProven: boolean, ci: JudgeMeasures['tprCi']) => !isProven || (ci?.[0] ?? 0) < TRUST_BAR
  const fail = isOpen(isProvenTpr, measures?.tprCi ?? null) ? (['fail'] as const) : []
  const pass = isOpen(isProvenTnr, measures?.tnrCi ?? null) ? (['pass'] as const) : []
  return [...fail, ...pass]
}

function sidesOf(classes: readonly Verdict[]): ('tpr' | 'tnr')[] {
  return classes.map((human) => (human === 'fail' ? 'tpr' : 'tnr'))
}

function reasonOf(measures: JudgeMeasures | null, available: number): GradingForecast['reason'] {
  if (measures?.trust === 'misaligned') return 'below_bar'
  return available < maxGrades ? 'frame_too_small' : 'too_many_grades'
}

function splitOf({ frameId, strata }: ForecastFacts, order: readonly number[]): GradingForecast['order'] {
  return strata.flatMap(({ stratum }, index) => {
    const grades = order.filter((place) => place === index).length
    return grades === 0 ? [] : [{ stratum: stratumKey(frameId, stratum), grades }]
  })
}

function* curveOf(
  known: readonly ForecastStratum[],
  order: readonly number[],
  { seed, neededEValue }: { readonly seed: string; readonly neededEValue: number },
): Generator<void, GradingForecast['curve']> {
  const reached = [...checkpoints.filter((grades) => grades < order.length), order.length].filter(
    (grades) => grades > 0,
  )
  const options = { random: randomFromSeed(seed), checkpoints: reached, draws, proves: rememberProofs(neededEValue) }
  const curve = yield* gradingCurveSteps(known, order, options)
  return curve.map(({ grades, trusted, proven }) => ({ grades, p_trustworthy: trusted, p_can_act: proven }))
}

/** Draws meet the same counts again and again, and an e-value costs more than all the rest. */
function rememberProofs(neededEValue: number): (grades: ClassGrades) => boolean {
  const proofs = new Map<number, boolean>()
  return ({ found, trials }) => {
    const key = Math.floor(trials + rounding) * 10_000 + Math.floor(found + rounding)
    const known = proofs.get(key) ?? provesToAct(found / trials, { trials, neededEValue })
    proofs.set(key, known)
    return known
  }
}

/** As in the right to act. */
const rounding = 1e-9
