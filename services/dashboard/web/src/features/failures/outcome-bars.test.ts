import { causeBars, type OutcomeCount, requestBars } from './outcome-bars.ts'

const causes = ['no_credit', 'ours', 'too_large', 'model_unknown', 'abuse_guard', 'provider_down', 'provider_cut']
const counts: readonly OutcomeCount[] = [
  { at: '2026-11-24T10:00:00.000Z', outcome: 'answered', count: 40 },
  { at: '2026-11-24T10:00:00.000Z', outcome: 'cached', count: 3 },
  { at: '2026-11-24T10:00:00.000Z', outcome: 'client_left', count: 2 },
  ...causes.map((outcome, index) => ({ at: '2026-11-24T11:00:00.000Z', outcome, count: 10 - index })),
]
const axis = { times: ['2026-11-24T12:00:00.000Z'], textOf: (at: string) => at.slice(11, 13) }
const sumOf = (amounts: Readonly<Record<string, string>>) =>
  Object.values(amounts).reduce((sum, amount) => sum + Number(amount), 0)

it('counts every request once among all of them', () => {
  const { bars } = requestBars(counts, axis)
  expect(bars.map(({ label }) => label)).toEqual(['10', '11', '12'])
  expect(bars[0]?.amounts).toEqual({ answered: '40', cached: '3', client_left: '2' })
  expect(bars[1]?.amounts).toEqual({ failed: String(10 + 9 + 8 + 7 + 6 + 5 + 4) })
})

it('tells the most frequent causes apart and adds up the others, without those that the client left', () => {
  const { bars, series } = causeBars(counts, axis)
  expect(series.map(({ name }) => name)).toEqual([...causes.slice(0, 5), 'others'])
  expect(bars.map(({ label }) => label)).toEqual(['11', '12'])
  expect(bars[0]?.amounts.others).toBe('9')
  expect(sumOf(bars[0]?.amounts ?? {})).toBe(49)
})
