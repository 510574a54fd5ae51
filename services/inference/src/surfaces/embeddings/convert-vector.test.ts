import fc from 'fast-check'
import { convertVector } from './convert-vector.ts'

const float32 = fc.float({ noNaN: true, noDefaultInfinity: true })

describe('convertVector', () => {
  it('writes float32 in little-endian order', () => {
    expect(convertVector([1, -2, 0.5], 'base64')).toBe('AACAPwAAAMAAAAA/')
    expect(convertVector('AACAPwAAAMAAAAA/', 'float')).toEqual([1, -2, 0.5])
  })

  it('returns a vector unchanged that is in the format already', () => {
    const numbers = [0.1, 0.2]
    expect(convertVector(numbers, 'float')).toBe(numbers)
    expect(convertVector('any text', 'base64')).toBe('any text')
  })

  it('is exact in both directions for every float32', () => {
    fc.assert(
      fc.property(fc.array(float32), (numbers) => {
        expect(convertVector(convertVector(numbers, 'base64'), 'float')).toEqual(numbers)
      }),
    )
  })

  it('preserves every bit of base64 through JSON numbers', () => {
    fc.assert(
      fc.property(fc.array(float32), (numbers) => {
        const base64 = Buffer.from(Float32Array.from(numbers).buffer).toString('base64')
        const parsed = JSON.parse(JSON.stringify(convertVector(base64, 'float')))
        expect(parsed.map((value: number) => value + 0)).toEqual(numbers.map((value) => value + 0))
        expect(convertVector(convertVector(base64, 'float'), 'base64')).toBe(base64)
      }),
    )
  })

  it('rounds numbers with more digits to the nearest float32', () => {
    expect(convertVector(convertVector([0.1], 'base64'), 'float')).toEqual([Math.fround(0.1)])
  })

  it('drops an incomplete last float and never throws', () => {
    expect(convertVector(Buffer.from([0, 0, 128, 63, 1, 2]).toString('base64'), 'float')).toEqual([1])
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(convertVector(text, 'float'))))
  })
})
