import { readEntry, writeEntry } from './cache-entry.ts'

it.each(['', 'seed,user'])('returns the model, what was left out (%j) and every byte of the body', (dropped) => {
  const answer = { servedModel: 'vendor/modèle', dropped, body: Buffer.from([0, 1, 255, 128, 10]) }

  expect(readEntry(writeEntry(answer))).toEqual(answer)
})

it.each([
  ['nothing', Buffer.alloc(0)],
  ['another version', Buffer.of(1, 1, 65, 66)],
  ['one cut in its head', Buffer.of(2, 0, 0)],
  ['one cut in the model', Buffer.of(2, 4, 0, 0, 65, 66)],
  ['one cut in what was left out', Buffer.of(2, 1, 0, 3, 65, 66)],
  ['one without a body', Buffer.of(2, 1, 0, 0, 65)],
  ['text', Buffer.from('{"servedModel":"x"}')],
])('reads %s as no answer', (_, entry) => {
  expect(readEntry(entry)).toBeNull()
})
