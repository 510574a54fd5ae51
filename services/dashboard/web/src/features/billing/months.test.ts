import { lastMonths } from './months.ts'

it('counts back over the turn of the year, from a day that other months do not have', () => {
  const months = lastMonths(Date.parse('2026-03-31T23:00:00Z'))
  expect(months.slice(0, 4)).toEqual(['2026-03', '2026-02', '2026-01', '2025-12'])
  expect(months).toHaveLength(12)
})
