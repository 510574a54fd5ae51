import { runToEnd } from '@ratchet/service-kit/timing/run-to-end'
import type { GradeInForce } from './graded-items.ts'
import { measureJudge } from './measure-judge.ts'
import { type PlanFacts, planGrades } from './plan-grades.ts'
import { fewestGradesToAct } from './right-to-act.ts'
import { confusionRows } from './rows.fixture.ts'

const planned = (facts: PlanFacts) => runToEnd(planGrades(facts))
const none = { fails: 0, passes: 0, grades: [], measures: null, copies: 0 }

it('says before the first grade how many are needed', () => {
  const plan = planned(none)
  expect(plan).toMatchObject({ bar: 0.9, min_grades_for_trust: 35, min_grades_to_act: 51, grader_ceiling: null })
  expect(plan.next_grades).toBeNull()
  const [at95, at97, at99] = plan.chances
  expect(at97).toMatchObject({ true_rate: 0.97, tpr_proven: 0, tnr_proven: 0 })
  // Published: 0.97 is proven with probability 0.82 by 100 grades, 0.99 with 0.88 by 60.
  expect(at97?.grades_needed).toBeLessThanOrEqual(100)
  expect(at97?.grades_needed).toBeGreaterThan(60)
  expect(at99?.grades_needed).toBeLessThan(60)
  expect(at95?.grades_needed).toBeGreaterThan(150)
})

it('says what the present grades can prove', () => {
  const { chances } = planned({ ...none, fails: 100, passes: 200 })
  expect(chances[1]?.tpr_proven).toBeCloseTo(0.82, 2)
  expect(chances[1]?.tnr_proven).toBeCloseTo(0.98, 2)
})

it('says what it takes to act, which is more than trust at one calibration, and more for a copy of a judge', () => {
  const [first, copy] = [0, 1].map((copies) => planned({ ...none, fails: 100, passes: 200, copies }))
  expect([first?.min_grades_to_act, copy?.min_grades_to_act]).toEqual([fewestGradesToAct(0), fewestGradesToAct(1)])
  expect(copy?.min_grades_to_act).toBeGreaterThan(51)
  const [at97, ofCopy] = [first?.chances[1], copy?.chances[1]]
  expect(at97?.tpr_can_act).toBeLessThan(at97?.tpr_proven ?? 0)
  expect(at97?.tpr_can_act).toBeGreaterThan(0)
  expect(at97?.grades_needed_to_act).toBeGreaterThan(at97?.grades_needed ?? 0)
  expect(ofCopy?.tpr_can_act).toBeLessThan(at97?.tpr_can_act ?? 0)
  expect(ofCopy?.tpr_proven).toBe(at97?.tpr_proven)
  expect(ofCopy?.grades_needed_to_act).toBeGreaterThan(at97?.grades_needed_to_act ?? 0)
})

it('splits the next grades by the errors of the judge', () => {
  const measures = measureJudge(confusionRows({ tp: 40, fn: 10, fp: 1, tn: 99 }))
  const next = planned({ ...none, fails: 50, passes: 100, measures }).next_grades
  expect((next?.fails ?? 0) + (next?.passes ?? 0)).toBe(50)
  expect(next?.fails).toBeGreaterThan(50 / 3)
})

it('knows how well graders agree, which limits every judge', () => {
  const grade = (item: number, graderId: string, verdict: 'pass' | 'fail') =>
    ({ labelId: `${item} ${graderId}`, itemKey: String(item), graderId, verdict }) as GradeInForce
  const grades = Array.from({ length: 20 }, (_, item) => [
    grade(item, 'ann', 'pass'),
    grade(item, 'bob', item < 2 ? 'fail' : 'pass'),
  ]).flat()
  expect(planned({ ...none, grades }).grader_ceiling?.ceiling).toBeCloseTo(0.9, 12)
})
