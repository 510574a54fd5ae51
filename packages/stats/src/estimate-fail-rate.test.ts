import type { ConfusionCounts } from './confusion-counts.ts'
import { estimateFailRate } from './estimate-fail-rate.ts'
import { expectInterval } from './fixtures/expect-interval.ts'

const GRADED = { tp: 24, fn: 4, fp: 6, tn: 166 }
const WEAK = { tp: 14, fn: 14, fp: 26, tn: 146 }
const CALIBRATION = { truePositives: 46, humanFails: 50, trueNegatives: 95, humanPasses: 100 }

describe('estimateFailRate', () => {
  it('uses PPI++ for random grades, whatever the widths', () => {
    const estimates = estimateFailRate({ judgedFails: 300, judged: 2000, graded: GRADED })
    expect(estimates.map(({ method }) => method)).toEqual(['ppi_plus_plus', 'gold_only', 'rogan_gladen'])
    expectInterval(estimates[0]?.interval, [0.111039, 0.175028], 6)
    expectInterval(estimates[1]?.interval, [0.09867, 0.194899], 6)
    expectInterval(estimates[2]?.interval, [0.098666, 0.186809], 6)
    const weak = estimateFailRate({ judgedFails: 400, judged: 2000, graded: WEAK })
    expect(weak.map(({ method }) => method)).toEqual(['ppi_plus_plus', 'gold_only', 'rogan_gladen'])
  })

  it.each([
    ['few random grades', { tp: 14, fn: 6, fp: 7, tn: 72 }, CALIBRATION, 'rogan_gladen'],
    ['a good judge', { tp: 14, fn: 6, fp: 7, tn: 73 }, CALIBRATION, 'rogan_gladen'],
    ['a weak judge', GRADED, { ...CALIBRATION, truePositives: 42 }, 'ppi_plus_plus'],
  ])('chooses by sizes and by the calibration: %s', (_case, graded, calibration, method) => {
    expect(estimateFailRate({ judgedFails: 60, judged: 400, graded, calibration })[0]?.method).toBe(method)
  })

  it('only corrects by TPR and TNR when the grades are of other traffic', () => {
    const estimates = estimateFailRate({ judgedFails: 60, judged: 400, calibration: CALIBRATION })
    expect(estimates).toMatchObject([{ method: 'rogan_gladen', failRate: expect.closeTo(0.114943, 6) }])
    expectInterval(estimates[0]?.interval, [0.045187, 0.173954], 6)
  })

  it('uses PPI++ from ten random grades on, whatever they show', () => {
    const methods = (graded: ConfusionCounts) =>
      estimateFailRate({ judgedFails: 290, judged: 2000, graded }).map(({ method }) => method)
    expect(methods({ tp: 20, fn: 0, fp: 9, tn: 171 })).toEqual(['ppi_plus_plus', 'gold_only', 'rogan_gladen'])
    expect(methods({ tp: 1, fn: 0, fp: 0, tn: 9 })[0]).toBe('ppi_plus_plus')
    expect(methods({ tp: 1, fn: 0, fp: 0, tn: 8 })[0]).toBe('gold_only')
  })

  it('prefers a separate calibration for TPR and TNR to few random grades', () => {
    const graded = { tp: 2, fn: 0, fp: 1, tn: 47 }
    const estimates = estimateFailRate({ judgedFails: 60, judged: 400, graded, calibration: CALIBRATION })
    const corrected = estimates.find(({ method }) => method === 'rogan_gladen')
    expect(corrected?.failRate).toBeCloseTo(0.114943, 6)
  })

  it('is empty when no method is valid', () => {
    const useless = { truePositives: 5, humanFails: 10, trueNegatives: 5, humanPasses: 10 }
    expect(estimateFailRate({ judgedFails: 60, judged: 400 })).toEqual([])
    expect(estimateFailRate({ judgedFails: 60, judged: 400, calibration: useless })).toEqual([])
    expect(estimateFailRate({ judgedFails: 0, judged: 0, calibration: CALIBRATION })).toEqual([])
    expect(estimateFailRate({ judgedFails: 0, judged: 0, graded: { tp: 0, fn: 0, fp: 0, tn: 0 } })).toEqual([])
  })

  it('uses only the grades when no other row has a verdict', () => {
    expect(estimateFailRate({ judgedFails: 0, judged: 0, graded: GRADED })).toMatchObject([{ method: 'gold_only' }])
  })

  it('refuses impossible counts', () => {
    expect(() => estimateFailRate({ judgedFails: 2, judged: 1 })).toThrow('judgedFails')
    expect(() => estimateFailRate({ judgedFails: 0, judged: 1, graded: { tp: 0.5, fn: 0, fp: 0, tn: 0 } })).toThrow(
      'tp',
    )
  })
})
