import { monthOf, periodOf, wholeHours } from './periods.ts'

const now = new Date('2026-11-24T12:34:56Z')

it('ends now by default, and begins some days before', () => {
  const { from, to } = periodOf({}, now, 30)
  expect(to > now).toBe(true)
  expect(from.toISOString()).toBe('2026-10-25T12:34:56.001Z')
})

it.each([
  [{ from: now, to: now }],
  [{ from: now, to: new Date('2026-11-01T00:00:00Z') }],
  [{ from: new Date('2020-01-01T00:00:00Z') }],
])('refuses %j', (asked) => {
  expect(() => periodOf(asked, now, 30)).toThrow(expect.objectContaining({ code: 'invalid_request', param: 'from' }))
})

it('widens a period to whole hours', () => {
  const period = wholeHours({ from: now, to: new Date('2026-11-24T13:00:00.001Z') })
  expect([period.from.toISOString(), period.to.toISOString()]).toEqual([
    '2026-11-24T12:00:00.000Z',
    '2026-11-24T14:00:00.000Z',
  ])
})

it('knows months, and refuses those that have not begun', () => {
  const { from, to } = monthOf('2026-11', now)
  expect([from.toISOString(), to.toISOString()]).toEqual(['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'])
  expect(monthOf('2025-12', now).to.toISOString()).toBe('2026-01-01T00:00:00.000Z')
  expect(() => monthOf('2026-12', now)).toThrow(expect.objectContaining({ param: 'month' }))
})
