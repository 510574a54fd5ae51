import type { CalibrationEstimate } from '@ratchet/contracts/calibrations'
import { certificationPower } from '@ratchet/stats/certification-power'
import { graderCeiling } from '@ratchet/stats/grader-ceiling'
import { TRUST_BAR } from '@ratchet/stats/grades-needed'
import { smallestTrialsForBar } from '@ratchet/stats/smallest-trials-for-bar'
import { splitNewGrades } from '@ratchet/stats/split-new-grades'
import { countPairs } from '../labels/agreement.ts'
import { itemsOfSeveral } from '../labels/items-of-several.ts'
import type { JudgeMeasures } from './calibration-result.ts'
import type { GradeInForce } from './graded-items.ts'
import { judgeAccuracy } from './judge-accuracy.ts'
import { fewestGradesToAct, neededEValueOf } from './right-to-act.ts'

export interface PlanFacts {
  readonly fails: number
  readonly passes: number
  readonly grades: readonly GradeInForce[]
  /** Of the current calibration; null without one. */
  readonly measures: JudgeMeasures | null
  /** Judges with the same prompt and model that were calibrated before this one. */
  readonly copies: number
}

const assumedRates = [0.95, 0.97, 0.99] as const
const enoughChance = 0.8
const nextGrades = 50

/** What the grades can prove, before a person grades or a judge is paid. Yields from time to time. */
export function* planGrades({
  fails,
  passes,
  grades,
  measures,
  copies,
}: PlanFacts): Generator<void, CalibrationEstimate['plan']> {
  return {
    bar: TRUST_BAR,
    min_grades_for_trust: smallestTrialsForBar(0),
    min_grades_to_act: fewestGradesToAct(copies),
    chances: yield* chancesOf({ fails, passes }, neededEValueOf(copies)),
    next_grades: splitOf(measures, fails + passes === 0 ? null : fails / (fails + passes)),
    grader_ceiling: yield* ceilingOf(grades),
  }
}

function* chancesOf(
  { fails, passes }: Pick<PlanFacts, 'fails' | 'passes'>,
  neededEValue: number,
): Generator<void, CalibrationEstimate['plan']['chances']> {
  const chances: CalibrationEstimate['plan']['chances'] = []
  for (const rate of assumedRates) {
    chances.push({
      true_rate: rate,
      tpr_can_act: certificationPower(rate, fails, neededEValue),
      tnr_can_act: certificationPower(rate, passes, neededEValue),
      grades_needed_to_act: yield* gradesForChance(rate, neededEValue),
      tpr_proven: certificationPower(rate, fails),
      tnr_proven: certificationPower(rate, passes),
      grades_needed: yield* gradesForChance(rate),
    })
  }
  return chances
}

/** The smallest number of grades of a class that is enough; it is finite, because all assumed rates are above the bar. */
function* gradesForChance(rate: number, neededEValue = 0): Generator<void, number> {
  let grades = smallestTrialsForBar(0)
  while (certificationPower(rate, grades, neededEValue) < enoughChance) {
    grades += 1
    yield
  }
  return grades
}

function splitOf(measures: JudgeMeasures | null, failRate: number | null) {
  const accuracy = measures === null ? null : judgeAccuracy(measures)
  return accuracy === null || failRate === null ? null : splitNewGrades({ ...accuracy, grades: nextGrades, failRate })
}

function* ceilingOf(grades: readonly GradeInForce[]): Generator<void, CalibrationEstimate['plan']['grader_ceiling']> {
  const counted = grades.map(({ labelId: id, itemKey, graderId, verdict: label }) => {
    return { id, itemKey, graderId, label, logId: null }
  })
  const { pairs, agreeing } = yield* countPairs(yield* itemsOfSeveral(counted))
  const found = graderCeiling(agreeing, pairs)
  return found === null ? null : { ceiling: found.ceiling, ci: [found.interval.low, found.interval.high] }
}
