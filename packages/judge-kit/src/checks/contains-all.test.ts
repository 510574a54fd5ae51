import { toEnd } from '@ratchet/service-kit/timing/to-end'
import fc from 'fast-check'
import { containsAll } from './contains-all.ts'
import { countCharacters, countWords } from './count-text.ts'

const containsEach = (text: string, values: readonly string[]) => toEnd(containsAll(text, values))
const repetitive = (max: number) =>
  fc
    .tuple(fc.constantFrom('a', 'ab', 'aab', 'İß'), fc.nat(max), fc.constantFrom('', 'b', 'c', 'A'))
    .map(([part, times, end]) => part.repeat(times) + end)

it('finds what the engine finds, in short and long values', () => {
  fc.assert(
    fc.property(fc.array(repetitive(400), { maxLength: 4 }), repetitive(300), (parts, value) => {
      const text = parts.join('')
      expect(containsEach(text, [value])).toBe(text.toLowerCase().includes(value.toLowerCase()))
    }),
  )
})

it('needs all values', () => {
  const long = `${'x'.repeat(300)}y`
  expect(containsEach(`One ${long} two`, ['ONE', long.toUpperCase(), 'two'])).toBe(true)
  expect(containsEach(`One ${long} two`, ['one', `${long}y`])).toBe(false)
})

it('counts words and characters as a list of them would', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\u00a0', '\u2003', '\ufeff', '😀', '\ud800') }),
      (text) => {
        expect(countWords(text)).toBe(text.split(/\s+/).filter((word) => word !== '').length)
        expect(countCharacters(text)).toBe([...text].length)
      },
    ),
  )
})
