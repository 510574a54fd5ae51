import fc from 'fast-check'
import { expectInterval } from './fixtures/expect-interval.ts'
import { stratifiedAccuracy } from './stratified-accuracy.ts'
import { wilsonInterval } from './wilson-interval.ts'

const JUDGED_FAIL = { rows: 100, graded: 50, humanFails: 40 }
const JUDGED_PASS = { rows: 900, graded: 50, humanFails: 5 }

const stratum = fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.nat(1000), fc.nat(1000)).map(([rows, one, other]) => ({
  rows,
  graded: Math.max(1, Math.min(rows, Math.max(one, other))),
  humanFails: Math.min(one, other, rows),
}))

describe('stratifiedAccuracy', () => {
  it('is as tabled, far from the unweighted rates', () => {
    const { tpr, tnr } = stratifiedAccuracy({ judgedFail: JUDGED_FAIL, judgedPass: JUDGED_PASS })
    expect(tpr?.rate).toBeCloseTo(0.470588, 6)
    expectInterval(tpr?.interval, [0.276719, 0.673758], 6)
    expect(tnr?.rate).toBeCloseTo(0.975904, 6)
    expectInterval(tnr?.interval, [0.958485, 0.98612], 6)
  })

  it('is the plain rate when every row was graded', () => {
    const { tpr, tnr } = stratifiedAccuracy({
      judgedFail: { rows: 50, graded: 50, humanFails: 46 },
      judgedPass: { rows: 150, graded: 150, humanFails: 8 },
    })
    expect(tpr?.rate).toBeCloseTo(46 / 54, 12)
    expect(tnr?.rate).toBeCloseTo(142 / 146, 12)
  })

  it('keeps the rate inside of its interval, and the interval in 0..1', () => {
    fc.assert(
      fc.property(stratum, stratum, (judgedFail, judgedPass) => {
        for (const side of Object.values(stratifiedAccuracy({ judgedFail, judgedPass }))) {
          if (side === null) continue
          expect(side.interval.low).toBeGreaterThanOrEqual(0)
          expect(side.interval.low).toBeLessThanOrEqual(side.rate + 1e-12)
          expect(side.interval.high).toBeGreaterThanOrEqual(side.rate - 1e-12)
          expect(side.interval.high).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  it('is mirrored when FAIL and PASS are swapped', () => {
    const opposite = ({ rows, graded, humanFails }: typeof JUDGED_FAIL) => ({
      rows,
      graded,
      humanFails: graded - humanFails,
    })
    fc.assert(
      fc.property(stratum, stratum, (judgedFail, judgedPass) => {
        const one = stratifiedAccuracy({ judgedFail, judgedPass })
        const other = stratifiedAccuracy({ judgedFail: opposite(judgedPass), judgedPass: opposite(judgedFail) })
        expect(other).toEqual({ tpr: one.tnr, tnr: one.tpr })
      }),
    )
  })

  it('has a width above 0 when no missed failure was found', () => {
    const { tpr } = stratifiedAccuracy({ judgedFail: JUDGED_FAIL, judgedPass: { ...JUDGED_PASS, humanFails: 0 } })
    expect(tpr).toMatchObject({ rate: 1, interval: { high: 1 } })
    // Half a row in each cell: logit 40.5/51·100 : 0.5/51·900, variance of the logarithms 10.5/51/40.5 + 50.5/51/0.5.
    expect(tpr?.interval.low).toBeCloseTo(0.362507, 6)
  })

  it('returns effective trials with which Wilson’s interval is not narrower', () => {
    fc.assert(
      fc.property(stratum, stratum, (judgedFail, judgedPass) => {
        for (const side of Object.values(stratifiedAccuracy({ judgedFail, judgedPass }))) {
          if (side === null || side.effectiveTrials === 0) continue
          const { low, high } = wilsonInterval(side.effectiveSuccesses, side.effectiveTrials)!
          expect(low).toBeLessThanOrEqual(side.interval.low + 1e-9)
          expect(high).toBeGreaterThanOrEqual(side.interval.high - 1e-9)
        }
      }),
    )
  })

  it('does not certify a judge only because no missed failure was drawn', () => {
    const { tpr } = stratifiedAccuracy({ judgedFail: JUDGED_FAIL, judgedPass: { ...JUDGED_PASS, humanFails: 0 } })
    expect(wilsonInterval(40, 40)!.low).toBeGreaterThan(0.9)
    expect(wilsonInterval(tpr!.effectiveSuccesses, tpr!.effectiveTrials)!.low).toBeLessThan(0.5)
  })

  it('is null for a stratum without grades, and ignores one without rows', () => {
    const ungraded = { rows: 900, graded: 0, humanFails: 0 }
    expect(stratifiedAccuracy({ judgedFail: JUDGED_FAIL, judgedPass: ungraded })).toEqual({ tpr: null, tnr: null })
    const empty = { rows: 0, graded: 0, humanFails: 0 }
    const { tpr, tnr } = stratifiedAccuracy({ judgedFail: JUDGED_FAIL, judgedPass: empty })
    const nothing = { interval: { low: 0, high: 1 }, effectiveTrials: 0, effectiveSuccesses: 0 }
    expect(tpr).toEqual({ rate: 1, ...nothing })
    expect(tnr).toEqual({ rate: 0, ...nothing })
    expect(stratifiedAccuracy({ judgedFail: empty, judgedPass: empty })).toEqual({ tpr: null, tnr: null })
  })

  it('refuses impossible counts', () => {
    const tooMany = { rows: 10, graded: 11, humanFails: 0 }
    expect(() => stratifiedAccuracy({ judgedFail: tooMany, judgedPass: JUDGED_PASS })).toThrow('graded must be')
    const odd = { rows: 10, graded: 5, humanFails: 6 }
    expect(() => stratifiedAccuracy({ judgedFail: odd, judgedPass: JUDGED_PASS })).toThrow('humanFails must be')
  })
})
