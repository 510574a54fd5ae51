import { alikeAnswer } from './alike-answer.ts'

const item = (id: string, answer: string, system = 'You answer for a shop.') => ({
  id,
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: `Question ${id}` },
  ],
  response: { role: 'assistant', content: answer },
})

const long = 'The parcel leaves our house on Monday and arrives two days later at your door'

it('finds the last graded answer that is nearly the same', () => {
  const graded = [item('a', long), item('b', `${long} or later`), item('c', 'Something else is said here')]
  expect(alikeAnswer(item('d', `${long} again`), graded)).toEqual({ text: `${long} or later`, itemsAgo: 2 })
})

it.each([
  ['no answer is alike', [item('a', 'Yes.'), item('b', 'No.')]],
  ['an answer is of another system prompt', [item('a', `${long} again`, 'You write poems.')]],
  ['an answer is the same to the letter', [item('a', long)]],
  ['the item itself was graded', [item('d', `${long} again`)]],
  ['nothing was graded', []],
])('finds none when %s', (_, graded) => {
  expect(alikeAnswer(item('d', long), graded)).toBeNull()
})

it('looks at twenty items', () => {
  const others = Array.from({ length: 20 }, (_, index) => item(`o${index}`, `${index} is another answer`))
  expect(alikeAnswer(item('d', long), [item('a', `${long} again`), ...others])).toBeNull()
  expect(alikeAnswer(item('d', long), [item('a', `${long} again`), ...others.slice(1)])?.itemsAgo).toBe(20)
})
