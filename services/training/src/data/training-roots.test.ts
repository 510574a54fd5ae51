import { rootKeyOf } from './read-example.ts'
import { knownRoots, packRoots } from './training-roots.ts'

const keyOf = (number: number) => rootKeyOf([{ role: 'user', content: `question ${number}` } as { role: string }])
const keysOf = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => keyOf(from + index))

function pack(keys: Iterable<string>): Buffer {
  const steps = packRoots(keys)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

it('finds exactly the conversations that were packed', () => {
  const packed = [pack(keysOf(0, 1_000)), pack(keysOf(2_000, 2_001)), pack([])]
  expect(packed[0]).toHaveLength(8_000)
  expect(knownRoots(packed, keysOf(0, 1_000))).toHaveLength(1_000)
  expect(knownRoots(packed, keysOf(1_000, 2_000))).toEqual([])
  expect(knownRoots(packed, [keyOf(2_000), keyOf(2_001)])).toEqual([keyOf(2_000)])
})

it('packs each conversation once', () => {
  expect(pack([...keysOf(0, 10), ...keysOf(0, 10)])).toHaveLength(80)
})

it('a conversation begins with the messages up to the first one of the user', () => {
  const system = { role: 'system', content: 'Be brief.' }
  const [first, second] = [
    { role: 'user', content: 'Hi' },
    { role: 'user', content: 'And then?' },
  ]
  expect(rootKeyOf([system, first])).toBe(rootKeyOf([system, first, { role: 'assistant' }, second]))
  expect(rootKeyOf([system, first])).not.toBe(rootKeyOf([first]))
})
