import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import { measureJudge } from '../calibration/measure-judge.ts'
import { confusionRows } from '../calibration/rows.fixture.ts'
import { pickedStratum } from '../calibration/strata.ts'
import type { JudgeProgress } from './judge-progress.ts'
import { setupProgress } from './setup-progress.ts'

const noGrades = { fails: 0, passes: 0 }
const measured = (confusion: Partial<ConfusionCounts>) =>
  measureJudge(confusionRows({ tp: 0, fn: 0, fp: 0, tn: 100, ...confusion }))
const trusted = measured({ tp: 40 })
const thin = { ...measured({ tp: 23 }), failGradesNeeded: 12 }
const judge = (more: Partial<JudgeProgress> = {}): JudgeProgress => {
  return { graded: noGrades, measures: null, isFlagged: false, ...more }
}
const facts = (more: Partial<Parameters<typeof setupProgress>[0]>) =>
  setupProgress({ gradedItems: 0, forEveryJudge: [], judges: [], ...more })

it.each([
  ['nothing is graded', noGrades, 20],
  ['some are graded, all of one class', { fails: 0, passes: 15 }, 5],
  ['enough are graded, all of one class', { fails: 0, passes: 40 }, 1],
  ['enough of both are graded', { fails: 1, passes: 19 }, 0],
])('says how many grades the nearest judge needs when %s', (_case, graded, needed) => {
  const judges = [judge(), judge({ graded })]
  expect(facts({ judges }).grades.needed_to_calibrate).toBe(needed)
})

it('counts grades of exchanges and of runs apart while there is no judge', () => {
  const { grades } = facts({
    gradedItems: 6,
    forEveryJudge: [
      { fails: 2, passes: 4 },
      { fails: 1, passes: 1 },
    ],
  })
  expect(grades).toEqual({ total: 6, needed_to_calibrate: 14 })
})

it('needs no more grades once every judge is calibrated', () => {
  expect(facts({ judges: [judge({ measures: trusted })] }).grades.needed_to_calibrate).toBe(0)
})

it('counts calibrated and trustworthy judges, and the FAIL grades that the nearest one needs to be trusted', () => {
  const judges = [trusted, thin, { ...thin, failGradesNeeded: 30 }, null].map((measures) => judge({ measures }))
  expect(facts({ judges }).judges).toMatchObject({ total: 4, calibrated: 3, trustworthy: 1, fail_grades_needed: 12 })
})

describe('until a judge can act', () => {
  const missing = (...judges: readonly JudgeProgress[]) => {
    const { can_act, act_fail_grades_needed, act_pass_grades_needed, cannot_act_reason } = facts({ judges }).judges
    return [can_act, act_fail_grades_needed, act_pass_grades_needed, cannot_act_reason]
  }

  it('nothing is known without a judge', () => {
    expect(missing()).toEqual([0, null, null, null])
  })

  it('a judge without a calibration needs as many drawn grades as one without errors', () => {
    expect(missing(judge())).toEqual([0, 51, 51, expect.stringMatching(/no calibration/)])
    expect(missing(judge({ graded: { fails: 11, passes: 60 } }))).toEqual([0, 40, 0, expect.any(String)])
  })

  it('picked grades prove nothing, so they do not count', () => {
    const rows = confusionRows({ tp: 200, fn: 0, fp: 0, tn: 200 }).map((row) => ({ ...row, stratum: pickedStratum }))
    const picked = judge({ measures: measureJudge(rows), graded: { fails: 1, passes: 1 } })
    expect(missing(picked)).toEqual([0, 50, 50, expect.stringMatching(/picked/)])
  })

  it('a trustworthy judge needs the grades that its e-values lack', () => {
    expect(missing(judge({ measures: trusted }))).toEqual([0, 11, 0, expect.stringMatching(/any number/)])
  })

  it('the nearest judge counts, and one with a rate below the bar only when it is alone', () => {
    const weak = judge({ measures: measured({ tp: 30, fn: 20 }) })
    expect(missing(weak)).toEqual([0, null, 0, expect.stringMatching(/misaligned/)])
    expect(missing(weak, judge(), judge({ measures: trusted }))).toEqual([0, 11, 0, expect.any(String)])
  })

  it('a judge that can act needs nothing, and one that is flagged for drift cannot', () => {
    const proven = judge({ measures: measured({ tp: 60 }) })
    expect(missing(judge(), proven)).toEqual([1, 0, 0, null])
    expect(missing({ ...proven, isFlagged: true })).toEqual([0, 0, 0, expect.stringMatching(/drift/)])
  })
})
