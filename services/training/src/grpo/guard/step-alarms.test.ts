import { alarmText, duplicateRatio, stepAlarms, topTerm } from './step-alarms.ts'

const start = { completion_length_mean: 100, entropy: 0.9, duplicate_ratio: 0, top_term: null }

it.each([
  ['nothing', {}, []],
  ['answers twice as long', { completion_length_mean: 200 }, []],
  ['answers more than twice as long', { completion_length_mean: 201 }, ['length_drift']],
  ['answers less than half as long', { completion_length_mean: 49 }, ['length_drift']],
  ['a third of the entropy', { entropy: 0.3 }, []],
  ['less than a third of the entropy', { entropy: 0.29 }, ['entropy_collapse']],
  ['no entropy that is known', { entropy: null }, []],
  ['a term with 90 % of the variance', { top_term: { name: 'length', share: 0.9 } }, []],
  ['a term with more of the variance', { top_term: { name: 'length', share: 0.91 } }, ['one_term']],
  ['30 % duplicates', { duplicate_ratio: 0.3 }, []],
  ['more duplicates', { duplicate_ratio: 0.31 }, ['duplicates']],
])('an alarm is raised by %s', (_what, more, alarms) => {
  const now = { ...start, ...more }
  expect(stepAlarms(now, start)).toEqual(alarms)
  for (const alarm of stepAlarms(now, start)) expect(alarmText(alarm, 7, now, start)).toContain('step 7')
})

it('compares the first step with nothing', () => {
  const first = { completion_length_mean: 1, entropy: 0, duplicate_ratio: 0.5, top_term: { name: 'a', share: 1 } }
  expect(stepAlarms(first, null)).toEqual(['one_term', 'duplicates'])
})

it('counts answers to one prompt that are the same', () => {
  expect(
    duplicateRatio([
      ['a', 'a', 'a', 'b'],
      ['a', 'c', 'd', 'e'],
    ]),
  ).toBe(2 / 8)
  expect(duplicateRatio([])).toBe(0)
})

it('finds the term that tells answers to one prompt apart, by its weight', () => {
  const weights = new Map([
    ['judge', 0.25],
    ['format', 0.75],
  ])
  const alike = [
    { judge: 1, format: 0 },
    { judge: 0, format: 1 },
  ]
  // The squares of the weights: 9 of 10.
  expect(topTerm([alike], weights)).toEqual({ name: 'format', share: expect.closeTo(0.9) })
  // What differs between prompts alone teaches nothing.
  const between = [
    [
      { judge: 1, format: 1 },
      { judge: 0, format: 1 },
    ],
    [
      { judge: 1, format: 0 },
      { judge: 0, format: 0 },
    ],
  ]
  expect(topTerm(between, weights)).toEqual({ name: 'judge', share: 1 })
  expect(topTerm([alike], new Map([['judge', 1]]))).toBeNull()
  expect(topTerm([[{ judge: 1, format: 1 }]], weights)).toBeNull()
})
