import { duration, relativeTime } from './time.ts'

it.each([
  [0, '0 ms'],
  [640, '640 ms'],
  [2_440, '2.4 s'],
  [59_600, '60 s'],
  [14 * 60_000, '14 min'],
  [185 * 60_000, '3 h 5 min'],
  [3 * 3_600_000, '3 h'],
  [52 * 3_600_000, '2 d 4 h'],
])('%s ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

it.each([
  ['2026-11-24T12:00:30Z', 'now'],
  ['2026-11-24T11:57:00Z', '3 minutes ago'],
  ['2026-11-23T12:00:00Z', 'yesterday'],
  ['2026-11-24T14:30:00Z', 'in 2 hours'],
])('%s is %s at noon', (iso, text) => {
  expect(relativeTime(iso, Date.parse('2026-11-24T12:00:00Z'))).toBe(text)
})
