import { daysLeft, daysLeftText } from './days-left.ts'

it.each([
  ['7000000000', '7000000000', 7],
  ['6999999999', '7000000000', 6],
  ['1', '7000000000', 0],
  ['-5', '1', 0],
  ['9000000000000000000', '1', 999],
])('%s n$ last %s n$ per week for %i days', (available, spent, days) => {
  expect(daysLeft(available, spent)).toBe(days)
})

it('knows no time when nothing was spent', () => {
  expect(daysLeft('5', '0')).toBe(null)
  expect(daysLeftText(null)).not.toBe(daysLeftText(0))
})
