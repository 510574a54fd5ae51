import { hopeSentence } from './hope.ts'

it.each([
  [null, /not known/],
  [0.3, /about 200/],
  [0.12, /400 to 600/],
  [0.05, /more than a thousand/],
  [0.01, /choose a tag or segment/],
])('a share of fails of %s lets one hope for what the rounds have shown', (share, words) => {
  expect(hopeSentence(share)).toMatch(words)
})
