import fc from 'fast-check'
import { firstUuidV7At, timeOfUuidV7, uuidV7 } from './ids.ts'

/** 48 bits of milliseconds last until the year 10889. */
const milliseconds = fc.integer({ min: 0, max: 2 ** 48 - 1 })

it('is a UUID of version 7 that begins with the milliseconds', () => {
  fc.assert(
    fc.property(milliseconds, (ms) => {
      const id = uuidV7(ms)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(ms)
    }),
  )
})

it('sorts as text by its time', () => {
  fc.assert(
    fc.property(milliseconds, milliseconds, (one, two) => {
      fc.pre(one !== two)
      expect(uuidV7(one) < uuidV7(two)).toBe(one < two)
    }),
  )
})

it('is unique, also within one millisecond', () => {
  const ids = Array.from({ length: 10_000 }, () => uuidV7(1))

  expect(new Set(ids).size).toBe(10_000)
})

it('has 74 random bits: each is set about half the time, and no two always agree', () => {
  const samples = 2_000
  const rows = Array.from({ length: samples }, () => randomBits(uuidV7(0)))
  const columns = Array.from({ length: 74 }, (_, bit) => rows.map((row) => row[bit]))

  for (const [i, one] of columns.entries()) {
    // Six standard deviations: a fair coin fails this once in 10^9.
    expect(Math.abs(one.filter(Boolean).length - samples / 2)).toBeLessThan(6 * Math.sqrt(samples / 4))
    for (const two of columns.slice(i + 1)) {
      const agreeing = one.filter((value, row) => value === two[row]).length
      expect(Math.abs(agreeing - samples / 2)).toBeLessThan(7 * Math.sqrt(samples / 4))
    }
  }
})

/** The bits after time, version and variant. */
function randomBits(id: string): boolean[] {
  const bits = [...id.replaceAll('-', '')].flatMap((digit) => {
    const value = Number.parseInt(digit, 16)
    return [8, 4, 2, 1].map((place) => (value & place) !== 0)
  })
  return [...bits.slice(52, 64), ...bits.slice(66)]
}

it('has a lowest id for each millisecond, above all earlier ids, and tells its time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 48 - 1 }), (ms) => {
      expect(firstUuidV7At(ms) <= uuidV7(ms)).toBe(true)
      expect(firstUuidV7At(ms) > uuidV7(ms - 1)).toBe(true)
      expect(timeOfUuidV7(uuidV7(ms))).toEqual(new Date(ms))
    }),
  )
})
