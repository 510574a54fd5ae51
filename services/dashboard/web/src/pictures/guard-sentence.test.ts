import { guardSentence } from './guard-sentence.ts'

const facts = { title: 'Slower', limit: 1.5, isBreached: false, format: (value: number) => `${value.toFixed(1)} times` }

it('says the figure, its bounds, the limit and the state', () => {
  const looks = [{ time: '12:00', estimate: 1.2, low: 0.9, high: null }]
  expect(guardSentence({ ...facts, looks })).toBe(
    'Slower 1.2 times, from 0.9 times to no upper bound at every evaluation; limit 1.5 times: not breached.',
  )
  expect(guardSentence({ ...facts, looks: [] })).toBe('Slower: not measured yet; limit 1.5 times.')
})
