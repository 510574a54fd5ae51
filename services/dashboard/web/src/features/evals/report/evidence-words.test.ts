import { evidenceState, peopleState } from './evidence-words.ts'

const facts = { problems: [], win_rate_low: 0.55, is_exhausted: false }

it.each([
  ['proven', facts],
  ['open', { ...facts, win_rate_low: 0.49 }],
  ['open', { ...facts, win_rate_low: null }],
  ['borderline', { ...facts, win_rate_low: null, is_exhausted: true }],
  ['wrong', { ...facts, problems: ['judge_biased'] as const }],
  ['wrong', { ...facts, is_exhausted: true, problems: ['judge_unmeasured'] as const }],
])('is %s', (state, found) => {
  expect(evidenceState({ ...found, problems: [...found.problems] }).state).toBe(state)
})

it('is a state of what people prefer too', () => {
  expect(peopleState({ problems: [], win_rate_low: 0.5 }).state).toBe('proven')
  expect(peopleState({ problems: ['too_few_samples'], win_rate_low: 0.6 }).state).toBe('wrong')
})
