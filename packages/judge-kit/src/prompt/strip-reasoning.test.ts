import { cpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { stripReasoning } from './strip-reasoning.ts'

it.each([
  ['an answer without reasoning', ' plain ', ' plain '],
  ['a block before the answer', '<think>\nhm\n</think>\n\nYes.', 'Yes.'],
  ['several blocks', '<think>a</think>One, <THINK>b</THINK>two.', 'One, two.'],
  ['a block that is never closed', 'Yes. <think>or is it', 'Yes.'],
  ['nothing but an open block', '<think>{"verdict":"PASS","explanation":""}', ''],
  ['a block that the prompt opened', 'so it is 4</think>4', '4'],
  ['a block within a block', '<think>a<think>b</think>c</think>4', '4'],
  ['a close that closes nothing', '<think>a</think>Close it with </think>.', 'Close it with </think>.'],
  ['an empty block', '<think></think>4', '4'],
  ['tags that only look alike', '<thinking>4</thinking> < think>', '<thinking>4</thinking> < think>'],
])('strips %s', (_case, text, expected) => {
  expect(stripReasoning(text)).toBe(expected)
})

const withoutTags = fc.string().filter((text) => !text.includes('<'))

it('removes closed blocks completely, and nothing else', () => {
  fc.assert(
    fc.property(withoutTags, withoutTags, withoutTags, (before, thought, after) => {
      expect(stripReasoning(`${before}<think>${thought}</think>${after}`)).toBe((before + after).trim())
    }),
  )
})

it('only removes text', () => {
  const piece = fc.constantFrom('<think>', '</think>', '<think', 'a', ' ', '\n', '</', '>')
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('')
      expect(stripReasoning(text).length).toBeLessThanOrEqual(text.length)
    }),
  )
})

it.each(['<think>', '</think>', '<think></think>', '<think', '</think></think><think>'])(
  'takes time in proportion to a text of %j',
  (piece) => {
    const text = piece.repeat(300_000)
    expect(cpuMs(() => stripReasoning(text))).toBeLessThan(1_000)
  },
)
