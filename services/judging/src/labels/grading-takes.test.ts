import { gradingTakes } from './grading-takes.ts'

const pace = { medianMs: 6_000, grades: 10 }

it('plans minutes at the pace of the latest grades, and the calibration of all of them, 20 a second time', () => {
  expect(gradingTakes({ grades: 40, graded: 60, pace, usdPerVerdict: 0.002 })).toEqual({
    seconds_per_grade: 6,
    seconds_per_grade_from: 'grades',
    minutes_needed: 4,
    cost_usd_needed: 0.24,
  })
})

it('assumes a pace until ten grades show it', () => {
  for (const few of [
    { medianMs: null, grades: 0 },
    { medianMs: 2_000, grades: 9 },
  ]) {
    const takes = gradingTakes({ grades: 4, graded: 0, pace: few, usdPerVerdict: null })
    expect(takes).toMatchObject({ seconds_per_grade: 15, seconds_per_grade_from: 'assumed', minutes_needed: 1 })
    expect(takes.cost_usd_needed).toBeNull()
  }
})

it('costs nothing when no grades are needed, and is not known when their number is not', () => {
  const needed = (grades: number | null) => gradingTakes({ grades, graded: 60, pace, usdPerVerdict: 0.002 })
  expect(needed(0)).toMatchObject({ minutes_needed: 0, cost_usd_needed: 0 })
  expect(needed(null)).toMatchObject({ minutes_needed: null, cost_usd_needed: null })
})
