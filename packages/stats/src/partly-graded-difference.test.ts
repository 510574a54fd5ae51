import { asymptoticMargin } from './asymptotic-confidence-sequence.ts'
import { informationForMargin, partlyGradedDifference } from './partly-graded-difference.ts'
import { partlyGradedRate } from './partly-graded-rate.ts'

const good = {
  judgedFail: { rows: 300, graded: 60, humanFails: 48 },
  judgedPass: { rows: 2_700, graded: 200, humanFails: 1 },
}
const fooled = {
  judgedFail: { rows: 300, graded: 60, humanFails: 48 },
  judgedPass: { rows: 2_700, graded: 200, humanFails: 18 },
}
const options = { tightestAt: informationForMargin(0.05) }

describe('partlyGradedDifference', () => {
  it('is the difference of pass rates, with the margin of the sequence at its information', () => {
    const found = partlyGradedDifference(fooled, good, options)
    const [first, second] = [partlyGradedRate(fooled)!, partlyGradedRate(good)!]
    expect(found?.difference).toBeCloseTo(second.failRate - first.failRate, 12)
    const variance = first.errorAbove ** 2 + second.errorBelow ** 2
    const margin = asymptoticMargin({ variance: 1, n: 1 / variance }, options)
    expect(found?.interval.low).toBeCloseTo(second.failRate - first.failRate - margin, 12)
  })

  it('sees fails that the judge passed in one group only', () => {
    expect(partlyGradedDifference(fooled, good, options)?.interval.high).toBeLessThan(0)
    expect(partlyGradedDifference(good, good, options)?.interval.low).toBeGreaterThan(-0.05)
  })

  it('is mirrored when the groups are swapped, and null when one has no estimate', () => {
    const [one, other] = [partlyGradedDifference(fooled, good, options), partlyGradedDifference(good, fooled, options)]
    expect(one?.interval.low).toBeCloseTo(-(other?.interval.high ?? 0), 12)
    const empty = { rows: 0, graded: 0, humanFails: 0 }
    expect(partlyGradedDifference({ judgedFail: empty, judgedPass: empty }, good, options)).toBeNull()
  })
})

describe('informationForMargin', () => {
  it.each([0.02, 0.05, 0.2])('is where the sequence that is tuned for it has half the width %f', (margin) => {
    const information = informationForMargin(margin)
    expect(asymptoticMargin({ variance: 1, n: information }, { tightestAt: information })).toBeCloseTo(margin, 12)
  })
})
