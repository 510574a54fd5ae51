import fc from 'fast-check'
import { correctedDifference } from './corrected-difference.ts'
import { expectInterval } from './fixtures/expect-interval.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { newcombeDifference } from './newcombe-difference.ts'
import { roganGladen } from './rogan-gladen.ts'

const JUDGE = { truePositives: 46, humanFails: 50, trueNegatives: 95, humanPasses: 100 }

describe('roganGladen', () => {
  it.each(statVectors.rogan_gladen)('is exact to 1e-9 for $judged_fail of $n', (row) => {
    const estimate = roganGladen({
      judgedFails: row.judged_fail,
      judged: row.n,
      truePositives: row.tp,
      humanFails: row.human_fail,
      trueNegatives: row.tn,
      humanPasses: row.human_pass,
    })
    expect(estimate?.failRate).toBeCloseTo(row.fail_rate, 9)
    expect(estimate?.standardError).toBeCloseTo(row.se_delta, 9)
    expectInterval(estimate?.interval, row.ci_delta)
  })

  it('also returns the rate before clipping', () => {
    const estimate = roganGladen({ ...JUDGE, judgedFails: 10, judged: 400 })
    expect(estimate).toMatchObject({ failRate: 0, unclippedFailRate: expect.closeTo(-0.028736, 6) })
  })

  it('agrees with the published polarity check: 850 of 1000 judged PASS', () => {
    const judge = { truePositives: 90, humanFails: 100, trueNegatives: 190, humanPasses: 200 }
    expect(1 - roganGladen({ ...judge, judgedFails: 150, judged: 1000 })!.failRate).toBeCloseTo(0.882353, 6)
  })

  it('computes the share of real failures among judged ones, for a judge at the bar and 5 % failures', () => {
    const judged = 0.05 * 0.9 + 0.95 * 0.1
    expect(judged).toBeCloseTo(0.14, 12)
    const judge = { truePositives: 90, humanFails: 100, trueNegatives: 90, humanPasses: 100 }
    const estimate = roganGladen({ ...judge, judgedFails: 1400, judged: 10_000 })!
    expect(estimate.failRate).toBeCloseTo(0.05, 12)
    expect((estimate.failRate * 0.9) / judged).toBeCloseTo(0.32, 2)
  })

  it('returns the true rate for the expected judged rate', () => {
    fc.assert(
      fc.property(
        fc.nat(100),
        fc.integer({ min: 61, max: 100 }),
        fc.integer({ min: 61, max: 100 }),
        (rate, tpr, tnr) => {
          const judgedFails = rate * tpr + (100 - rate) * (100 - tnr)
          const judge = { truePositives: tpr, humanFails: 100, trueNegatives: tnr, humanPasses: 100 }
          expect(roganGladen({ ...judge, judgedFails, judged: 10_000 })?.unclippedFailRate).toBeCloseTo(rate / 100, 10)
        },
      ),
    )
  })

  it('is mirrored when FAIL and PASS are swapped', () => {
    const one = roganGladen({ ...JUDGE, judgedFails: 60, judged: 400 })!
    const swapped = { truePositives: 95, humanFails: 100, trueNegatives: 46, humanPasses: 50 }
    const other = roganGladen({ ...swapped, judgedFails: 340, judged: 400 })!
    expect(other.failRate).toBeCloseTo(1 - one.failRate, 12)
    expect(other.standardError).toBeCloseTo(one.standardError, 12)
  })

  it('is null for a Youden index of at most 0.2, and without rows', () => {
    const weak = { truePositives: 60, humanFails: 100, trueNegatives: 60, humanPasses: 100 }
    expect(roganGladen({ ...weak, judgedFails: 1, judged: 10 })).toBeNull()
    expect(roganGladen({ ...weak, truePositives: 61, judgedFails: 5, judged: 10 })).not.toBeNull()
    expect(roganGladen({ ...JUDGE, judgedFails: 0, judged: 0 })).toBeNull()
    expect(roganGladen({ ...JUDGE, truePositives: 0, humanFails: 0, judgedFails: 1, judged: 2 })).toBeNull()
    expect(roganGladen({ ...JUDGE, trueNegatives: 0, humanPasses: 0, judgedFails: 1, judged: 2 })).toBeNull()
  })

  it('refuses impossible counts', () => {
    expect(() => roganGladen({ ...JUDGE, judgedFails: 2, judged: 1 })).toThrow('judgedFails')
    expect(() => roganGladen({ ...JUDGE, judgedFails: 0.5, judged: 1 })).toThrow('judgedFails')
    expect(() => roganGladen({ ...JUDGE, truePositives: 51, judgedFails: 1, judged: 1 })).toThrow('truePositives')
    expect(() => roganGladen({ ...JUDGE, trueNegatives: -1, judgedFails: 1, judged: 1 })).toThrow('trueNegatives')
  })
})

describe('correctedDifference', () => {
  it('is the raw difference divided by the Youden index', () => {
    const raw = newcombeDifference({ successes1: 36, trials1: 200, successes2: 24, trials2: 200 })!
    expectInterval(raw.interval, [-0.010383, 0.130286], 6)
    expectInterval(correctedDifference(raw, 0.87).interval, [-0.011935, 0.149754], 6)
    expect(correctedDifference(raw, 0.87).difference).toBeCloseTo(0.06 / 0.87, 12)
  })

  it('does not change the differences of a perfect judge, and refuses a useless judge', () => {
    const raw = { difference: 0.1, interval: { low: 0, high: 0.2 } }
    expect(correctedDifference(raw, 1)).toEqual(raw)
    expect(() => correctedDifference(raw, 0)).toThrow('youden')
    expect(() => correctedDifference(raw, 1.1)).toThrow('youden')
  })
})
