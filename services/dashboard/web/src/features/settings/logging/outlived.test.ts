import { outlivedRange, outlivedSentence } from './outlived.ts'

it('counts what is older than the retention', () => {
  const { end } = outlivedRange(7, Date.parse('2026-11-24T12:00:00Z'))
  expect(end).toBe('2026-11-17T12:00:00.000Z')
})

it.each([
  [[0], /none/],
  [[1], /1 exchange\./],
  [[1_204], /1,204 exchanges/],
  [[null], /more than 1,000,000/],
])('says %j in words', (counts, says) => {
  expect(outlivedSentence(counts.map((count) => ({ count })))).toMatch(says)
})
