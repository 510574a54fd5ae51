import { indexAt, isInside } from './time-ranges.ts'

it('finds the bar of a place, and the nearest one outside', () => {
  expect([-5, 0, 49, 50, 100, 400].map((x) => indexAt(x, 100, 10))).toEqual([0, 0, 4, 5, 9, 9])
})

it('counts the start to a time and the end not', () => {
  const range = { startMs: 10, endMs: 20 }
  expect([9, 10, 19, 20].map((ms) => isInside(ms, range))).toEqual([false, true, true, false])
})
