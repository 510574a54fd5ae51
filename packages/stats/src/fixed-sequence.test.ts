import { fixedSequence } from './fixed-sequence.ts'

/** The fewest successes that prove a bar, by exact sums of fractions; null when all trials are not enough. */
const fewest: readonly (readonly [bar: number, trials: number, errorProbability: number, successes: number | null])[] =
  [
    [0.9, 28, 1 / 20, null],
    [0.9, 29, 1 / 20, 29],
    [0.9, 30, 1 / 40, null],
    [0.9, 50, 1 / 20, 49],
    [0.9, 50, 1 / 40, 50],
    [0.9, 100, 1 / 20, 96],
    [0.9, 100, 1 / 120, 97],
    [0.9, 200, 1 / 20, 188],
    [0.9, 200, 1 / 120, 190],
    [0.8, 28, 1 / 120, 28],
    [0.8, 100, 1 / 40, 89],
    [0.8, 200, 1 / 20, 170],
  ]

describe('fixedSequence', () => {
  it.each(fewest)(
    'proves %d with %i trials at %d from the exact number of successes',
    (bar, trials, error, successes) => {
      const proves = (count: number) =>
        fixedSequence([{ successes: count, trials }], { bar, errorProbability: error }) === 1
      const found = Array.from({ length: trials + 1 }, (_, count) => count).find(proves) ?? null
      expect(found).toBe(successes)
    },
  )

  it('stops at the first step that is not proven, whatever follows', () => {
    const good = { successes: 100, trials: 100 }
    const bad = { successes: 80, trials: 100 }
    const test = { bar: 0.9, errorProbability: 0.05 }
    expect(fixedSequence([good, good, bad, good], test)).toBe(2)
    expect(fixedSequence([bad, good], test)).toBe(0)
    expect(fixedSequence([good], test)).toBe(1)
    expect(fixedSequence([], test)).toBe(0)
  })

  it('takes effective counts between those of whole rows, and proves nothing without rows', () => {
    const test = { bar: 0.9, errorProbability: 0.05 }
    expect(fixedSequence([{ successes: 28.5, trials: 28.5 }], test)).toBe(1)
    expect(fixedSequence([{ successes: 28.2, trials: 28.2 }], test)).toBe(0)
    expect(fixedSequence([{ successes: 0, trials: 0 }], test)).toBe(0)
  })

  it('refuses impossible arguments', () => {
    const test = { bar: 0.9, errorProbability: 0.05 }
    expect(() => fixedSequence([{ successes: 2, trials: 1 }], test)).toThrow(RangeError)
    expect(() => fixedSequence([], { ...test, bar: 1 })).toThrow('bar')
    expect(() => fixedSequence([], { ...test, errorProbability: 0 })).toThrow('errorProbability')
  })
})
