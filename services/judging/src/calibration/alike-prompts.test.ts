import { areAlike, areSame, promptRuns } from './alike-prompts.ts'

const tuned = `Fail an answer that promises a refund without naming the order it is for. An offer to ask a colleague is no promise.
Pass an answer that only explains the rules of refunds, also when the customer is angry.`

const others = [
  'Fail an answer that is rude, mocks the customer, or uses words that a shop would not print.',
  'Fail an answer in another language than the question, unless the user asked for a translation.',
  'Fail an answer with a number that is not in the passages. Pass one that says that the number is not known.',
  'An answer fails when its SQL reads a table that the schema does not have, or would change data.',
  '回答が質問と異なる言語で書かれている場合は不合格とする。翻訳を頼まれた場合は合格とする。',
]

const alike = (one: string, other: string) => areAlike(promptRuns(one), promptRuns(other))

it.each([
  ['a space', `${tuned} `],
  ['other spaces, case and marks', tuned.toUpperCase().replaceAll(' ', '  ').replaceAll('.', ' !')],
  ['invisible characters', tuned.replaceAll('e', 'e\u200b')],
  ['full-width letters', tuned.replaceAll('a', 'ａ')],
  ['a text around it', `${others.join('\n')}\n${tuned}\nAnswer with one word.`],
  ['half of it alone', tuned.slice(0, tuned.length / 2)],
  ['another order', tuned.split('\n').toReversed().join('\n')],
  [
    'every fifth word replaced',
    tuned
      .split(' ')
      .map((word, at) => (at % 5 === 4 ? 'some' : word))
      .join(' '),
  ],
])('a prompt is alike to itself with %s', (_name, changed) => {
  expect(alike(tuned, changed)).toBe(true)
  expect(alike(changed, tuned)).toBe(true)
})

it('prompts of other questions are not alike', () => {
  const pairs = [tuned, ...others].flatMap((one) => others.map((other) => [one, other] as const))
  expect(pairs.filter(([one, other]) => one !== other && alike(one, other))).toEqual([])
})

it('a prompt that is too short to compare is alike to any', () => {
  expect(alike('Rude?', tuned)).toBe(true)
  expect(alike(tuned, '')).toBe(true)
})

it('prompts are the same without regard to spaces and case, and another word makes another one', () => {
  expect(areSame(promptRuns(tuned), promptRuns(` ${tuned.toLowerCase()}`))).toBe(true)
  expect(areSame(promptRuns(tuned), promptRuns(`${tuned} Be strict.`))).toBe(false)
})
