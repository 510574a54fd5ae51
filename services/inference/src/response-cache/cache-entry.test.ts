import { readEntry, writeEntry } from './cache-entry.ts'

it('returns the model and every byte of the body', () => {
  const answer = { servedModel: 'vendor/modèle', body: Buffer.from([0, 1, 255, 128, 10]) }

  expect(readEntry(writeEntry(answer))).toEqual(answer)
})

it.each([
  ['nothing', Buffer.alloc(0)],
  ['another version', Buffer.of(2, 1, 65, 66)],
  ['a cut one', Buffer.of(1, 4, 65, 66)],
  ['one without a body', Buffer.of(1, 1, 65)],
  ['text', Buffer.from('{"servedModel":"x"}')],
])('reads %s as no answer', (_, entry) => {
  expect(readEntry(entry)).toBeNull()
})
