import { trendText } from './trend.ts'

const period = { from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' }
const of = (before: number, after: number) =>
  trendText(
    [
      { at: '2026-11-20T03:00:00.000Z', outcome: 'no_credit', count: before },
      { at: '2026-11-20T20:00:00.000Z', outcome: 'no_credit', count: after },
      { at: '2026-11-20T20:00:00.000Z', outcome: 'answered', count: 900 },
    ],
    'no_credit',
    period,
  )

it('compares the halves of the period', () => {
  expect([of(0, 9), of(9, 0), of(10, 12), of(1, 2)]).toEqual(['rising', 'falling', 'steady', 'too few to say'])
})
