import { seededRandom } from '@ratchet/testing/seeded-random'
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { countText, pieceMax } from './count-text.ts'
import { loadVocabulary } from './load-vocabulary.ts'
import type { EncodingName } from './model-encoding.ts'
import { sliceTexts } from './slice-texts.ts'

const encoders = { o200k_base: encodeO200k, cl100k_base: encodeCl100k }
const encodings = Object.keys(encoders) as EncodingName[]
const exactly = (text: string, encoding: EncodingName) =>
  encoders[encoding](text, { disallowedSpecial: new Set() }).length

const ordinary = [
  'Hello, world! It`s 12:30 — the café isn`t open.\n\n\tdef f(x):\n        return x ** 2  # ¿qué?\r\n',
  '東京の天気はどうですか？今日は晴れています。明日は雨が降るでしょう。',
  '<|endoftext|> <|im_start|>system',
  JSON.stringify({ a: [1, 2, { b: 'c' }], url: 'https://example.com/a/b?c=d&e=%20' }, null, 2),
]

function* runs(length: number): Generator<string, void> {
  const random = seededRandom(7)
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? ''
  const of = (from: readonly string[]) =>
    Array.from({ length }, () => pick(from))
      .join('')
      .slice(0, length)
  const range = (start: number, count: number) =>
    Array.from({ length: count }, (_, at) => String.fromCodePoint(start + at))
  yield 'a'.repeat(length)
  yield 'A'.repeat(length)
  yield of(range(0x61, 26))
  yield of(['the', 'tion', 'ing', 'hello', 'world', 'un', 're', 'str'])
  yield of([...'!@#$%^&*()_+-=[]{}|;:,.<>?'])
  yield '-'.repeat(length)
  yield ' '.repeat(length)
  yield of([' ', '\n', '\t', '\r'])
  yield of(range(0x4e00, 3_000))
  yield of(range(0xe01, 46))
  yield of(range(0x1f600, 60)).toWellFormed()
  yield `e${'\u0301'.repeat(length - 1)}`
  yield Buffer.from(of(range(0, 128)))
    .toString('base64')
    .replaceAll(/\d/g, 'x')
}

describe.each(encodings)('countText with %s', (encoding) => {
  it('is exact for ordinary text', async () => {
    const vocabulary = await loadVocabulary(encoding)
    for (const text of ordinary) expect(countText(text, vocabulary)).toBe(exactly(text, encoding))
  })

  it('is exact for long ordinary text that was cut into slices', async () => {
    const vocabulary = await loadVocabulary(encoding)
    const text = ordinary.join(' ').repeat(60)
    const slices = [...sliceTexts([text], 2_000)].flat()
    expect(slices.length).toBeGreaterThan(5)
    expect(slices.reduce((sum, slice) => sum + countText(slice, vocabulary), 0)).toBe(exactly(text, encoding))
  })

  it('counts a long run never too low, and at most 1 % or a token per part too high', async () => {
    const vocabulary = await loadVocabulary(encoding)
    for (const run of runs(4_000)) {
      const exact = exactly(run, encoding)
      const counted = countText(run, vocabulary)
      expect(counted).toBeGreaterThanOrEqual(exact)
      expect(counted).toBeLessThanOrEqual(exact * 1.01 + run.length / pieceMax)
    }
  })

  it('counts the text before and after a long run', async () => {
    const vocabulary = await loadVocabulary(encoding)
    const around = `${ordinary[0]}${'a'.repeat(1_000)} ${ordinary[0]}`
    expect(countText(around, vocabulary)).toBe(exactly(around, encoding))
  })
})
