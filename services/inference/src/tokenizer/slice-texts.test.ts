import fc from 'fast-check'
import { sliceTexts } from './slice-texts.ts'

const text = fc.array(fc.constantFrom('a', 'bc', ' ', '  ', '\n', '😀', 'é', '茶'), { maxLength: 6_000 })
const texts = fc.array(
  text.map((parts) => parts.join('')),
  { maxLength: 4 },
)

describe('sliceTexts', () => {
  it('loses nothing, exceeds no limit and splits no character', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1_100, max: 5_000 }), (whole, length) => {
        const batches = [...sliceTexts(whole, length)]
        expect(batches.flat().join('')).toBe(whole.join(''))
        for (const batch of batches) {
          expect(batch.join('').length).toBeLessThanOrEqual(length)
          expect(batch.every((part) => part !== '' && part.isWellFormed())).toBe(true)
        }
      }),
    )
  })

  it('cuts before a blank that ends a word', () => {
    const words = 'word '.repeat(1_000)
    for (const part of [...sliceTexts([words], 2_000)].flat().slice(1)) expect(part.startsWith(' word')).toBe(true)
  })

  it('does not put countless tiny texts into one batch', () => {
    const batches = [...sliceTexts(new Array(10_000).fill('a'), 17_000)]
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(1_000)
  })

  it('returns nothing for nothing', () => {
    expect([...sliceTexts(['', ''], 2_000)]).toEqual([])
  })
})
