import { intervalSentence } from './interval-sentence.ts'

it('holds the rate, its bounds, the bar and the state', () => {
  const facts = { label: 'TPR', rate: 0.96, interval: [0.88, 0.99], bar: 0.9, state: 'open' } as const
  expect(intervalSentence(facts)).toBe('TPR 0.96, 95 % interval from 0.88 to 0.99; bar 0.90: not proven yet.')
  const more = intervalSentence({ ...facts, forecast: [0.91, 0.98], ceiling: 0.94 })
  expect(more).toContain('expected from 0.91 to 0.98')
  expect(more).toContain('people agree at 0.94')
})

it('says that nothing is measured', () => {
  expect(intervalSentence({ label: 'TNR', rate: null, interval: null, bar: 0.9, state: 'none' })).toContain(
    'not measured',
  )
})
