import { type DayCount, findRise, noShare, startOfDay, utcDay } from './find-rise.ts'

const today = 20_000
const rule = { alphaPerYear: 0.04, minRise: 0.03, minTrials: 50 }

/** 100 verdicts a day with a number of hits, the last day before `today` last. */
function daysOf(hits: readonly number[]): DayCount[] {
  return hits.map((each, index) => ({ day: today - hits.length + index, trials: 100, hits: each }))
}

const times = (count: number, hits: number) => Array.from({ length: count }, () => hits)

it('finds a rise in the shortest window that proves it, against all days before', () => {
  const days = daysOf([...times(20, 10), ...times(7, 22)])
  expect(findRise({ baseline: noShare, days }, today, rule)).toMatchObject({
    since: today - 7,
    before: { trials: 2_000, hits: 200 },
    after: { trials: 700, hits: 154 },
    rise: expect.closeTo(0.12, 12),
  })
})

it('finds in more days what a week does not prove', () => {
  const days = daysOf([...times(40, 10), ...times(14, 15)])
  expect(findRise({ baseline: noShare, days }, today, rule)).toMatchObject({ since: today - 14 })
})

it.each([
  ['is chance', [...times(20, 10), ...times(7, 12)], {}],
  ['is small', [...times(20, 10), ...times(7, 22)], { minRise: 0.2 }],
  ['rests on little', [...times(2, 10), ...times(7, 60)], { minTrials: 201 }],
  ['is a fall', [...times(20, 22), ...times(7, 10)], {}],
  ['has nothing before it', times(7, 60), {}],
])('finds no rise that %s', (_case, hits, more) => {
  expect(findRise({ baseline: noShare, days: daysOf(hits) }, today, { ...rule, ...more })).toBeNull()
})

it('ignores the present day, so that all sweeps of a day compare the same', () => {
  const days = [...daysOf(times(20, 10)), { day: today, trials: 1_000, hits: 1_000 }]
  expect(findRise({ baseline: noShare, days }, today, rule)).toBeNull()
})

it('counts the baseline as before all days', () => {
  const baseline = { trials: 50, hits: 2 }
  const days = daysOf([60, 60])
  expect(findRise({ baseline, days }, today, rule)).toMatchObject({
    before: baseline,
    after: { trials: 200, hits: 120 },
  })
})

it('counts days in UTC', () => {
  expect(utcDay(new Date('1970-01-02T23:59:59Z'))).toBe(1)
  expect(startOfDay(2)).toEqual(new Date('1970-01-03T00:00:00Z'))
})
