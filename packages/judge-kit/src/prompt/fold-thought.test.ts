import { cpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { foldThought } from './fold-thought.ts'

it.each([
  ['a block at the start', '<think>hm</think>\nYes.', '[thought: 17 characters]', 'Yes.'],
  ['a block after blank lines', '\n <THINK>hm</Think>Yes.', '[thought: 17 characters]', 'Yes.'],
  ['a block with another inside', '<think>a<think>b</think>c</think>4', '[thought: 33 characters]', '4'],
  ['nothing but a block', '<think>hm</think>', '[thought: 17 characters]', ''],
])('takes out %s', (_case, answer, mark, text) => {
  expect(foldThought(answer)).toEqual({ mark, text })
})

it('keeps every other text as it is', () => {
  const piece = fc.constantFrom('<think>', '</think>', 'a', ' ', '<THINK>', '</Think>')
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const answer = `b${pieces.join('')}`
      expect(foldThought(answer)).toEqual({ mark: '', text: answer })
    }),
  )
})

it('keeps what follows the block', () => {
  const text = fc.string().map((each) => each.trim())
  fc.assert(
    fc.property(text, (after) => {
      expect(foldThought(`<think>a</think>${after}`).text).toBe(after)
    }),
  )
})

it.each(['<think>', '</think>', ' ', '<think', '<think></think>'])('takes linear time for %j', (piece) => {
  const answer = `<think>${piece.repeat(300_000)}`
  expect(cpuMs(() => foldThought(answer))).toBeLessThan(1_000)
})
