import { createLineFilter } from './without-lines.ts'

const filtered = (pieces: readonly string[]) => {
  const filter = createLineFilter((line) => line.includes('ann'))
  const kept = pieces.map((piece) => filter.add(Buffer.from(piece)).toString())
  return { text: [...kept, filter.end().toString()].join(''), removed: filter.removed() }
}

it.each([
  [['bob\nann 1\ncy\n'], 'bob\ncy\n', 1],
  [['bob\nan', 'n 1\ncy', '\nann'], 'bob\ncy\n', 2],
  [['bob\ncy'], 'bob\ncy', 0],
  [['ann'], '', 1],
  [[], '', 0],
])('takes lines out of %j', (pieces, text, removed) => {
  expect(filtered(pieces)).toEqual({ text, removed })
})

it('leaves bytes that are no text as they are', () => {
  const filter = createLineFilter(() => false)
  const bytes = Buffer.from([255, 254, 10, 200])
  expect(Buffer.concat([filter.add(bytes), filter.end()])).toEqual(bytes)
})
