import { partlyGradedRate } from './partly-graded-rate.ts'
import { ppiPlusPlus } from './ppi-plus-plus.ts'
import { stratifiedAccuracy } from './stratified-accuracy.ts'

const rows = {
  judgedFail: { rows: 100, graded: 50, humanFails: 40 },
  judgedPass: { rows: 900, graded: 50, humanFails: 5 },
}

describe('partlyGradedRate', () => {
  it('weighs the grades of each verdict with its share', () => {
    expect(partlyGradedRate(rows)?.failRate).toBeCloseTo(0.1 * 0.8 + 0.9 * 0.1, 12)
  })

  it('agrees with the weighted cells of Begg and Greenes: TPR × rate is the share of found fails', () => {
    const rate = partlyGradedRate(rows)?.failRate ?? 0
    expect((stratifiedAccuracy(rows).tpr?.rate ?? 0) * rate).toBeCloseTo(0.1 * 0.8, 12)
  })

  it('has about the error of PPI++ when the grades are a random part of many rows', () => {
    const sample = {
      judgedFail: { rows: 15_000, graded: 3_000, humanFails: 2_400 },
      judgedPass: { rows: 85_000, graded: 17_000, humanFails: 400 },
    }
    const graded = { tp: 2_400, fn: 400, fp: 600, tn: 16_600 }
    const ppi = ppiPlusPlus({ graded, judgedFails: 12_000, judged: 80_000 })
    const found = partlyGradedRate(sample)
    expect(found?.failRate).toBeCloseTo(ppi?.failRate ?? 0, 10)
    expect((found?.errorAbove ?? 0) / (ppi?.standardError ?? 1)).toBeCloseTo(1, 2)
    expect((found?.errorBelow ?? 0) / (ppi?.standardError ?? 1)).toBeCloseTo(1, 2)
  })

  it('has the binomial error when every row is graded', () => {
    const all = {
      judgedFail: { rows: 20_000, graded: 20_000, humanFails: 16_000 },
      judgedPass: { rows: 80_000, graded: 80_000, humanFails: 4_000 },
    }
    expect(partlyGradedRate(all)?.errorBelow).toBeCloseTo(Math.sqrt((0.2 * 0.8) / 100_000), 5)
  })

  it('allows for rare fails above a rate of which no grade showed one, and for none below it', () => {
    const clean = {
      judgedFail: { rows: 0, graded: 0, humanFails: 0 },
      judgedPass: { rows: 1_000, graded: 100, humanFails: 0 },
    }
    const { failRate, errorAbove, errorBelow } = partlyGradedRate(clean)!
    expect(failRate).toBe(0)
    // Below is only what another number of verdicts FAIL could change.
    expect(errorBelow).toBeLessThan(0.002)
    const grades = Math.sqrt(((3 / 103) * (100 / 103)) / 100)
    expect(errorAbove).toBeCloseTo(Math.hypot(errorBelow, grades), 12)
  })

  it('counts rows that are known to have failed, without grades, with the binomial error of their number', () => {
    const all = {
      judgedFail: { rows: 10_000, graded: 10_000, humanFails: 10_000 },
      judgedPass: { rows: 80_000, graded: 80_000, humanFails: 0 },
      knownFails: 10_000,
    }
    const found = partlyGradedRate(all)
    expect(found?.failRate).toBeCloseTo(0.2, 12)
    expect(found?.errorBelow).toBeCloseTo(Math.sqrt((0.2 * 0.8) / 100_000), 5)
    expect(partlyGradedRate({ ...rows, knownFails: 1_000 })?.failRate).toBeCloseTo((0.17 + 1) / 2, 12)
  })

  it('is null without rows, and when a verdict has no grade', () => {
    const empty = { rows: 0, graded: 0, humanFails: 0 }
    expect(partlyGradedRate({ judgedFail: empty, judgedPass: empty })).toBeNull()
    expect(partlyGradedRate({ ...rows, judgedFail: { rows: 1, graded: 0, humanFails: 0 } })).toBeNull()
  })

  it('refuses impossible counts', () => {
    expect(() => partlyGradedRate({ ...rows, judgedFail: { rows: 1, graded: 2, humanFails: 0 } })).toThrow('graded')
    expect(() => partlyGradedRate({ ...rows, judgedPass: { rows: 3, graded: 2, humanFails: 3 } })).toThrow('humanFails')
    expect(() => partlyGradedRate({ ...rows, knownFails: -1 })).toThrow('knownFails')
    expect(() => partlyGradedRate({ ...rows, judgedPass: { rows: 0.5, graded: 0, humanFails: 0 } })).toThrow('rows')
  })
})
