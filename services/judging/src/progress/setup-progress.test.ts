import { setupProgress } from './setup-progress.ts'

const noGrades = { fails: 0, passes: 0 }
const trusted = { trust: 'trustworthy', failGradesNeeded: null } as const
const thin = { trust: 'under-measured', failGradesNeeded: 12 } as const
const facts = (more: Partial<Parameters<typeof setupProgress>[0]>) =>
  setupProgress({ gradedItems: 0, forEveryJudge: [], judges: [], ...more })

it.each([
  ['nothing is graded', noGrades, 20],
  ['some are graded, all of one class', { fails: 0, passes: 15 }, 5],
  ['enough are graded, all of one class', { fails: 0, passes: 40 }, 1],
  ['enough of both are graded', { fails: 1, passes: 19 }, 0],
])('says how many grades the nearest judge needs when %s', (_case, graded, needed) => {
  const judges = [
    { graded: noGrades, measures: null },
    { graded, measures: null },
  ]
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
  expect(facts({ judges: [{ graded: noGrades, measures: trusted }] }).grades.needed_to_calibrate).toBe(0)
})

it('counts calibrated and trustworthy judges, and the FAIL grades that the nearest one needs to be trusted', () => {
  const judges = [
    { graded: noGrades, measures: trusted },
    { graded: noGrades, measures: thin },
    { graded: noGrades, measures: { ...thin, failGradesNeeded: 30 } },
    { graded: noGrades, measures: null },
  ]
  expect(facts({ judges }).judges).toEqual({ total: 4, calibrated: 3, trustworthy: 1, fail_grades_needed: 12 })
})
