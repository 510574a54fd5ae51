import { wearSentence } from './wear-sentence.ts'

const facts = { model: 'sim/small', points: [], uses: 0, low: 0.56, lowIfFresh: 0.56, usedUp: 0, bar: 0.5 }

it('says the bound, how often the prompts were used, what fresh ones would prove, and the state', () => {
  expect(wearSentence(facts)).toBe(
    'sim/small: win rate from 56.0 % after 0 earlier comparisons; 0.0 % used up; bar 50.0 %: proven.',
  )
  expect(wearSentence({ ...facts, uses: 1, low: 0.52, usedUp: 0.302 })).toBe(
    'sim/small: win rate from 52.0 % after 1 earlier comparison, 56.0 % if the prompts were fresh; 30.2 % used up; bar 50.0 %: proven.',
  )
  expect(wearSentence({ ...facts, uses: 40.25, low: null, usedUp: 1 })).toBe(
    'sim/small: win rate from no bound after 40.3 earlier comparisons, 56.0 % if the prompts were fresh; 100.0 % used up; bar 50.0 %: used up.',
  )
  expect(wearSentence({ ...facts, low: 0.4, lowIfFresh: 0.4 })).toContain(': not proven.')
})
