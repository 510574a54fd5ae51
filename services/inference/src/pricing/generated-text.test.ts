import { generatedText, TextCollector, withUnkept } from './generated-text.ts'

const piece = 'word '.repeat(200)

function collect(pieces: number, reserve?: (bytes: number) => boolean): TextCollector {
  const collector = new TextCollector(reserve)
  for (let n = 0; n < pieces; n++) collector.add(piece)
  return collector
}

it('keeps all text while the share of the workspace has room', () => {
  const collector = collect(1_000, () => true)
  expect(collector.texts.join('')).toBe(piece.repeat(1_000))
  expect(collector).toMatchObject({ pieces: 1_000, characters: 1_000_000, unkept: { characters: 0 } })
  expect(collect(1_000).unkept.characters).toBe(0)
})

it('keeps 256 KB without the share, and counts the rest', () => {
  const collector = collect(1_000, () => false)
  expect(collector.texts.join('').length).toBe(262_000)
  expect(collector).toMatchObject({ pieces: 1_000, characters: 1_000_000, unkept: { characters: 738_000 } })
})

it('reserves what it keeps', () => {
  let reserved = 0
  const collector = collect(1_000, (bytes) => {
    if (reserved + bytes > 500_000) return false
    reserved += bytes
    return true
  })
  expect(reserved).toBe(262_144)
  expect(collector.texts.join('').length).toBeLessThanOrEqual(2 * 262_144)
})

it.each([
  ['all is kept', generatedText([piece]), 200, 200],
  ['the rest is alike', collect(1_000, () => false), 52_400, 200_000],
  ['the kept text has long tokens', collect(1_000, () => false), 10, 10 + 738_000 / 8],
])('counts the tokens when %s', (_name, generated, kept, all) => {
  expect(withUnkept(kept, generated)).toBe(all)
})
