import { firstWords, questionOf, wordCount } from './message-lines.ts'

it('shortens texts to one line', () => {
  expect(firstWords('a\n  b')).toBe('a b')
  expect(firstWords('abcdef', 4)).toBe('abc…')
  expect(wordCount(' two  words ')).toBe(2)
})

it('takes the last question as one line', () => {
  const messages = [
    { role: 'user', content: 'One' },
    { role: 'assistant', content: 'Two' },
    { role: 'user', content: 'Three\n\n  four' },
    { role: 'assistant', content: 'Five' },
  ]
  expect(questionOf(messages)).toBe('Three four')
  expect(questionOf([])).toBe('')
})
