import { weekWindow } from './week-window.ts'

const monday = '2026-11-16T00:00:00.000Z'
const next = '2026-11-23T00:00:00.000Z'

describe('a week', () => {
  it.each([
    ['its first moment', '2026-11-16T00:00:00.000Z', monday, next],
    ['a day within', '2026-11-21T12:00:00.000Z', monday, next],
    ['its last millisecond', '2026-11-22T23:59:59.999Z', monday, next],
    ['the next Monday', next, next, '2026-11-30T00:00:00.000Z'],
    [
      'a day in winter whose week began in the other year',
      '2027-01-01T05:00:00Z',
      '2026-12-28T00:00:00.000Z',
      '2027-01-04T00:00:00.000Z',
    ],
    ['a day before the epoch', '1970-01-01T00:00:00Z', '1969-12-29T00:00:00.000Z', '1970-01-05T00:00:00.000Z'],
  ])('holds %s, from Monday to Monday in UTC', (_name, at, start, end) => {
    const window = weekWindow(new Date(at))
    expect([window.start.toISOString(), window.end.toISOString()]).toEqual([start, end])
  })
})
