import { chosenRange, windowOf, windowWith } from './time-window.ts'

const hour = 3_600_000
const now = Date.parse('2026-11-24T14:07:00Z')

it('ends with the present bar, so it stays the same while that bar lasts', () => {
  const window = windowOf('7', now)
  expect(window).toEqual({
    startMs: Date.parse('2026-11-17T16:00:00Z'),
    endMs: Date.parse('2026-11-24T16:00:00Z'),
    buckets: 84,
  })
  expect(windowOf('7', now + hour)).toEqual(window)
  expect(windowOf('7', now + 2 * hour)).not.toEqual(window)
})

it('fills open ends of the filters, and shows an older time by itself', () => {
  const usual = windowOf('1', now)
  expect(chosenRange({}, usual)).toBeNull()
  const inside = chosenRange({ start: '2026-11-24T10:00:00Z' }, usual)
  expect(inside).toEqual({ startMs: Date.parse('2026-11-24T10:00:00Z'), endMs: usual.endMs })
  expect(windowWith(inside, usual)).toBe(usual)
  const older = { startMs: now - 100 * hour, endMs: now - 90 * hour }
  expect(windowWith(older, usual)).toEqual({ ...older, buckets: 60 })
  expect(windowWith({ startMs: now, endMs: now - 1 }, usual)).toBe(usual)
})
