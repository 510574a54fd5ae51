import fc from 'fast-check'
import { langReiczigelInterval } from './lang-reiczigel-interval.ts'
import { splitNewGrades } from './split-new-grades.ts'

const EQUAL = { truePositives: 90, humanFails: 100, trueNegatives: 90, humanPasses: 100 }

describe('splitNewGrades', () => {
  it('follows the fail rate when the judge errs equally often on both classes', () => {
    expect(splitNewGrades({ ...EQUAL, grades: 100, failRate: 0.5 })).toEqual({ fails: 50, passes: 50 })
    expect(splitNewGrades({ ...EQUAL, grades: 100, failRate: 0.2 })).toEqual({ fails: 20, passes: 80 })
    expect(splitNewGrades({ ...EQUAL, grades: 100, failRate: 0 })).toEqual({ fails: 0, passes: 100 })
    expect(splitNewGrades({ ...EQUAL, grades: 100, failRate: 1 })).toEqual({ fails: 100, passes: 0 })
  })

  it('weights the classes by the root of the ratio of their errors', () => {
    const judge = { truePositives: 60, humanFails: 100, trueNegatives: 90, humanPasses: 100 }
    expect(splitNewGrades({ ...judge, grades: 1000, failRate: 0.5 }).fails).toBe(
      Math.round(1000 / (1 + Math.sqrt(11 / 41))),
    )
  })

  it('sends more to the class in which the judge errs more', () => {
    const missesFails = { ...EQUAL, truePositives: 60 }
    expect(splitNewGrades({ ...missesFails, grades: 100, failRate: 0.5 }).fails).toBeGreaterThan(50)
    const missesPasses = { ...EQUAL, trueNegatives: 60 }
    expect(splitNewGrades({ ...missesPasses, grades: 100, failRate: 0.5 }).fails).toBeLessThan(50)
  })

  it('works without earlier grades, and always splits all new ones', () => {
    const none = { truePositives: 0, humanFails: 0, trueNegatives: 0, humanPasses: 0 }
    expect(splitNewGrades({ ...none, grades: 20, failRate: 0.25 })).toEqual({ fails: 5, passes: 15 })
    fc.assert(
      fc.property(fc.nat(1000), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(100), (grades, failRate, tp) => {
        const { fails, passes } = splitNewGrades({ ...EQUAL, truePositives: tp, grades, failRate })
        expect(fails + passes).toBe(grades)
        expect(Math.min(fails, passes)).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it('is close to the split with the narrowest corrected interval', () => {
    const widthWith = (fails: number) => {
      const interval = langReiczigelInterval({
        judgedFails: 22 * 40,
        judged: 100 * 40,
        truePositives: 0.85 * (20 + fails),
        humanFails: 20 + fails,
        trueNegatives: 0.95 * (20 + 200 - fails),
        humanPasses: 20 + 200 - fails,
      })!
      return interval.high - interval.low
    }
    const judge = { truePositives: 17, humanFails: 20, trueNegatives: 19, humanPasses: 20 }
    const { fails } = splitNewGrades({ ...judge, grades: 200, failRate: 0.22 })
    const narrowest = Math.min(...Array.from({ length: 201 }, (_, count) => widthWith(count)))
    expect(widthWith(fails) / narrowest).toBeLessThan(1.02)
  })

  it('refuses impossible arguments', () => {
    expect(() => splitNewGrades({ ...EQUAL, grades: -1, failRate: 0.5 })).toThrow('grades')
    expect(() => splitNewGrades({ ...EQUAL, grades: 1, failRate: 2 })).toThrow('failRate')
    expect(() => splitNewGrades({ ...EQUAL, truePositives: 101, grades: 1, failRate: 0.5 })).toThrow('truePositives')
  })
})
