import fc from 'fast-check'
import { expectInterval } from './fixtures/expect-interval.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { langReiczigelInterval } from './lang-reiczigel-interval.ts'

const JUDGE = { truePositives: 46, humanFails: 50, trueNegatives: 95, humanPasses: 100 }

describe('langReiczigelInterval', () => {
  it.each(statVectors.rogan_gladen)('is exact to 1e-9 for $judged_fail of $n', (row) => {
    const interval = langReiczigelInterval({
      judgedFails: row.judged_fail,
      judged: row.n,
      truePositives: row.tp,
      humanFails: row.human_fail,
      trueNegatives: row.tn,
      humanPasses: row.human_pass,
    })
    expectInterval(interval, row.ci_lang_reiczigel)
  })

  it('is as tabled for a rate below the judge’s error rate, for a weak judge and for the polarity check', () => {
    expectInterval(langReiczigelInterval({ ...JUDGE, judgedFails: 10, judged: 400 }), [0, 0.019877], 6)
    const weak = { truePositives: 14, humanFails: 28, trueNegatives: 146, humanPasses: 172 }
    expectInterval(langReiczigelInterval({ ...weak, judgedFails: 400, judged: 2000 }), [0, 0.295087], 6)
    const lee = { truePositives: 90, humanFails: 100, trueNegatives: 190, humanPasses: 200 }
    const fails = langReiczigelInterval({ ...lee, judgedFails: 150, judged: 1000 })!
    expectInterval({ low: 1 - fails.high, high: 1 - fails.low }, [0.842103, 0.928375], 6)
  })

  it('has a width even for a judge without errors', () => {
    const perfect = { truePositives: 40, humanFails: 40, trueNegatives: 40, humanPasses: 40 }
    const { low, high } = langReiczigelInterval({ ...perfect, judgedFails: 0, judged: 100 })!
    expect(low).toBe(0)
    expect(high).toBeGreaterThan(0.01)
  })

  it('is in 0..1, is mirrored when FAIL and PASS are swapped, and narrows with the evidence', () => {
    fc.assert(
      fc.property(
        fc.nat(100),
        fc.integer({ min: 70, max: 100 }),
        fc.integer({ min: 70, max: 100 }),
        (rate, tpr, tnr) => {
          const times = (factor: number) =>
            langReiczigelInterval({
              judgedFails: rate * factor,
              judged: 100 * factor,
              truePositives: tpr * factor,
              humanFails: 100 * factor,
              trueNegatives: tnr * factor,
              humanPasses: 100 * factor,
            })!
          const { low, high } = times(1)
          const swapped = langReiczigelInterval({
            judgedFails: 100 - rate,
            judged: 100,
            truePositives: tnr,
            humanFails: 100,
            trueNegatives: tpr,
            humanPasses: 100,
          })!
          expect(low).toBeGreaterThanOrEqual(0)
          expect(high).toBeLessThanOrEqual(1)
          expect(low).toBeLessThanOrEqual(high)
          expect(swapped.low).toBeCloseTo(1 - high, 10)
          if (low > 0 && high < 1) expect(times(4).high - times(4).low).toBeLessThan(high - low)
        },
      ),
    )
  })

  it('is null where the rate itself is refused, and 0..1 where smoothing leaves no signal', () => {
    const weak = { truePositives: 6, humanFails: 10, trueNegatives: 6, humanPasses: 10 }
    expect(langReiczigelInterval({ ...weak, judgedFails: 1, judged: 10 })).toBeNull()
    expect(langReiczigelInterval({ ...JUDGE, judgedFails: 0, judged: 0 })).toBeNull()
    const tiny = { truePositives: 1, humanFails: 1, trueNegatives: 1, humanPasses: 4 }
    expect(langReiczigelInterval({ ...tiny, judgedFails: 1, judged: 10 })).toEqual({ low: 0, high: 1 })
    expect(() => langReiczigelInterval({ ...JUDGE, judgedFails: 2, judged: 1 })).toThrow('judgedFails')
  })
})
