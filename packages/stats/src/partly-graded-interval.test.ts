import { expectInterval } from './fixtures/expect-interval.ts'
import { partlyGradedInterval } from './partly-graded-interval.ts'
import { ppiPlusPlus } from './ppi-plus-plus.ts'
import { wilsonInterval } from './wilson-interval.ts'

const GOOD = { graded: { tp: 24, fn: 4, fp: 6, tn: 166 }, judgedFails: 300, judged: 2000 }

describe('partlyGradedInterval', () => {
  it('is as computed by another program', () => {
    expect(partlyGradedInterval(GOOD)?.failRate).toBeCloseTo(0.14, 12)
    expectInterval(partlyGradedInterval(GOOD)?.interval, [0.11103888683058447, 0.17502750509812018])
  })

  it('is close to that of PPI++ for many grades', () => {
    const many = {
      graded: { tp: 2400, fn: 400, fp: 600, tn: 16_600 },
      judgedFails: 30_000,
      judged: 200_000,
    }
    const { low, high } = ppiPlusPlus(many)!.interval
    expectInterval(partlyGradedInterval(many)?.interval, [low, high], 3)
  })

  it('is narrower than from the grades alone, and reaches further up than down for a low rate', () => {
    const { failRate, interval } = partlyGradedInterval(GOOD)!
    const alone = wilsonInterval(28, 200)!
    expect(interval.high - interval.low).toBeLessThan(alone.high - alone.low)
    expect(interval.high - failRate).toBeGreaterThan(failRate - interval.low)
  })

  it('does not take a judge without errors among a few grades for perfect', () => {
    const { interval } = partlyGradedInterval({
      graded: { tp: 3, fn: 0, fp: 0, tn: 27 },
      judgedFails: 100,
      judged: 1000,
    })!
    expect(interval.low).toBeLessThan(0.07)
    expect(interval.high).toBeGreaterThan(0.14)
  })

  it('is null for up to two grades and without verdicts, and refuses impossible counts', () => {
    expect(partlyGradedInterval({ ...GOOD, graded: { tp: 1, fn: 0, fp: 0, tn: 1 } })).toBeNull()
    expect(partlyGradedInterval({ ...GOOD, judgedFails: 0, judged: 0 })).toBeNull()
    expect(() => partlyGradedInterval({ ...GOOD, judgedFails: 2001 })).toThrow('judgedFails')
  })
})
