import { bucketsOf } from './time-buckets.ts'

it('names each hour and each day that a period touches', () => {
  expect(bucketsOf('2026-11-24T22:30:00.000Z', '2026-11-25T00:00:00.000Z', 'hour')).toEqual([
    '2026-11-24T22:00:00.000Z',
    '2026-11-24T23:00:00.000Z',
  ])
  expect(bucketsOf('2026-11-24T22:30:00.000Z', '2026-11-25T00:00:00.001Z', 'day')).toEqual([
    '2026-11-24T00:00:00.000Z',
    '2026-11-25T00:00:00.000Z',
  ])
})

it('names none of a year, and none of a period that ended before it began', () => {
  expect(bucketsOf('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 'day')).toEqual([])
  expect(bucketsOf('2026-01-03T00:00:00Z', '2026-01-01T00:00:00Z', 'day')).toEqual([])
})
