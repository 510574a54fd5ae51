import { newerCount, sinceNewest } from './newer-count.ts'

const rows = ['2026-11-20T10:00:00.005Z', '2026-11-20T10:00:00.005Z', '2026-11-20T10:00:00.001Z'].map((created_at) => ({
  created_at,
}))

it('asks from the newest entry on, whatever the filter is', () => {
  expect(sinceNewest({ start: '2026-11-01T00:00:00.000Z' }, rows)).toEqual({ start: '2026-11-20T10:00:00.005Z' })
  expect(sinceNewest({ start: '2026-11-01T00:00:00.000Z' }, [])).toEqual({ start: '2026-11-01T00:00:00.000Z' })
  expect(sinceNewest({}, [])).toEqual({})
})

it('counts what the list does not have, also when several have the time of the newest', () => {
  expect(newerCount(2, rows)).toBe(0)
  expect(newerCount(5, rows)).toBe(3)
  expect(newerCount(4, [])).toBe(4)
})
