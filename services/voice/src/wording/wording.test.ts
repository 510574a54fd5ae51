import fc from 'fast-check'
import { addText, endText, newClauses, passTime } from './clauses.ts'
import { speakableText } from './speakable-text.ts'

/** All clauses of a text that arrives in pieces. */
function clausesOf(pieces: readonly string[]) {
  let state = newClauses
  const clauses: string[] = []
  for (const [i, piece] of pieces.entries()) {
    const step = addText(state, piece, i * 10)
    state = step.state
    clauses.push(...step.clauses)
  }
  return [...clauses, ...endText(state).clauses]
}

const inPieces = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))

it('splits a text at the ends of its clauses', () => {
  const text =
    'Hello, Dr. Miller! Your order of 3.5 kg will arrive on Monday at 10:30, between one and two. Is that, well, fine?'
  expect(clausesOf([text])).toEqual([
    'Hello, Dr. Miller!',
    'Your order of 3.5 kg will arrive on Monday at 10:30,',
    'between one and two.',
    'Is that, well, fine?',
  ])
})

it('loses and adds no word, however the text arrives, and makes no clause too long', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('.', ', ', '! ', 'e.g. ', '\n', '3.14 ', 'word ', ' '),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (pieces) => {
      const clauses = clausesOf(pieces)
      expect(clauses.join(' ').split(/\s+/).filter(Boolean).join('')).toBe(pieces.join('').replace(/\s+/g, ''))
      for (const clause of clauses) expect(clause.length).toBeLessThanOrEqual(400)
    }),
    { examples: [[['a'.repeat(900)]]] },
  )
})

it('makes the same clauses of every division of a text', () => {
  const text =
    'First of all, thank you. Then: what is your name? I am J. Doe, and I need… well, help with https://a.example/b.'
  const whole = clausesOf([text])
  for (const size of [1, 2, 3, 7, 20]) expect(clausesOf(inPieces(text, size))).toEqual(whole)
})

it('speaks the first words of a long clause without waiting for its end, and later clauses whole', () => {
  const first = addText(newClauses, 'I would like to tell you that everyth', 1_000)
  expect(first.clauses).toEqual([])
  expect(passTime(first.state, 1_249).clauses).toEqual([])
  const early = passTime(first.state, 1_250)
  expect(early.clauses).toEqual(['I would like to tell you that'])
  const later = addText(early.state, 'ing is all right and more', 1_300)
  expect(passTime(later.state, 9_000).clauses).toEqual([])
  expect(endText(later.state).clauses).toEqual(['everything is all right and more'])
  expect(passTime(addText(newClauses, 'One moment ple', 0).state, 900).clauses).toEqual([])
})

it.each([
  ['**Two** things:\n- *one*\n- `two`', 'en', 'Two things:\none\ntwo'],
  ['See [our page](https://example.com/a?b=c).', 'en', 'See our page.'],
  ['Go to https://www.shop.example.com/cart?x=1, please.', 'en', 'Go to shop dot example dot com please.'],
  ['Write to max.m@example.de.', 'de', 'Write to max Punkt m at example Punkt de.'],
  ['It is 50 % off & free 🎉!', 'en', 'It is 50 percent off and free !'],
  ['Your code is 483920.', 'en', 'Your code is 4 8 3 9 2 0.'],
  ['It costs $20 in 2026, about 3.5 kg.', 'en', 'It costs $20 in 2026, about 3.5 kg.'],
  ['## Plan\n1. Call\n2. Wait', 'en', 'Plan\nCall\nWait'],
  ['snake_case stays, _this_ does not', 'en', 'snake_case stays, this does not'],
  ['<b>bold</b> a < b', 'en', 'bold a < b'],
])('speaks %j', (text, language, spoken) => {
  expect(speakableText(text, language)).toBe(spoken)
})

it('leaves plain speech as it is', () => {
  const plain = fc.array(fc.stringMatching(/^[a-z]{1,8}[,.!?]?$/), { minLength: 1 }).map((words) => words.join(' '))
  fc.assert(fc.property(plain, (text) => expect(speakableText(text, 'en')).toBe(text)))
})
