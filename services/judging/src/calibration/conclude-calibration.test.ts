import { concludeCalibration, type JudgedRow } from './conclude-calibration.ts'
import { rightToAct } from './right-to-act.ts'
import { confusionRows } from './rows.fixture.ts'

const seen = { judgeModelResolved: 'sim-judge-1', judgeFingerprint: 'fp_1' }
const good: JudgedRow[] = confusionRows({ tp: 19, fn: 1, fp: 0, tn: 75 }).map((row, index) => ({
  ...row,
  labelId: `label-${index}`,
  ...seen,
  stratum: null,
  failure: null,
}))
const none = (failure: JudgedRow['failure'], count: number): JudgedRow[] =>
  Array.from({ length: count }, (_, index) => ({
    labelId: `none-${index}`,
    human: 'fail' as const,
    verdict: null,
    samplingProbability: 1,
    stratum: null,
    failure,
    ...seen,
  }))
const leftOut = { leftOut: 0, incomplete: 0, unanswered: [], cut: 0 }
const rest = { runId: 'run', again: [], deadLettered: [], ties: 2, tuned: 0, ...leftOut, earlierLooks: 3, copies: 0 }

describe('the end of a calibration', () => {
  it('is done with up to 5 % of rows without a readable verdict, which count as errors of the judge', () => {
    const conclusion = concludeCalibration({ ...rest, rows: [...good, ...none('unparseable', 5)] })
    expect(conclusion).toMatchObject({
      kind: 'done',
      result: {
        ties: 2,
        tuned: 0,
        unparseable: 5,
        looks: 4,
        notes: [expect.stringContaining('5 graded items have no readable verdict')],
        ...seen,
        measures: {
          confusion: { tp: 19, fn: 1, fp: 0, tn: 75 },
          tpr: 19 / 25,
          effectiveNFail: 25,
          tnr: 1,
          unanswered: 0,
          answered: { tpr: 19 / 20, effectiveNFail: 20 },
        },
      },
    })
  })

  it.each([
    ['fail', { tpr: 60 / 80, tnr: 1 }],
    ['pass', { tpr: 1, tnr: 300 / 320 }],
  ] as const)('gives no trust to a judge that breaks on answers that people %s', (human, rates) => {
    const [found, passed] = human === 'fail' ? [60, 320] : [80, 300]
    const read = confusionRows({ tp: found, fn: 0, fp: 0, tn: passed }).map((row) => ({ ...good[0], ...row }))
    const unread = none('unparseable', 20).map((row) => ({ ...row, human }))
    const wrong = unread.map((row) => ({ ...row, verdict: human === 'fail' ? ('pass' as const) : ('fail' as const) }))
    const measuresOf = (rows: readonly JudgedRow[]) => concludeCalibration({ ...rest, rows }).result.measures
    const measures = measuresOf([...read, ...unread] as JudgedRow[])
    expect(measures).toMatchObject(rates)
    // They count exactly as wrong verdicts do, for the intervals and for the e-value.
    const { tprCi, tnrCi, trust } = measures ?? {}
    const asWrong = measuresOf([...read, ...wrong] as JudgedRow[])
    expect({ tprCi, tnrCi, trust }).toEqual({ tprCi: asWrong?.tprCi, tnrCi: asWrong?.tnrCi, trust: asWrong?.trust })
    expect(rightToAct(measures)).toEqual(rightToAct(asWrong))
    expect(rightToAct(measures).reason).not.toBeNull()
  })

  it('fails with more than 5 %, and has no rates', () => {
    const conclusion = concludeCalibration({ ...rest, rows: [...good, ...none('unparseable', 6)] })
    expect(conclusion).toMatchObject({ kind: 'failed', result: { measures: null, unparseable: 6, looks: 0, ties: 2 } })
    expect(conclusion.kind === 'failed' && conclusion.error).toMatch('6 of 101 rows have no readable verdict')
  })

  it('fails with rows that could not be judged, and says how many and why', () => {
    const conclusion = concludeCalibration({
      ...rest,
      rows: [...good, ...none('refused', 2), ...none('gone', 1)],
      deadLettered: [{ reason: 'inference answered 500', count: 4 }],
    })
    expect(conclusion).toMatchObject({
      kind: 'failed',
      error:
        '7 of 102 rows could not be judged: 2 refused by the provider; 1 missing; 4 dead-lettered (inference answered 500).',
    })
  })

  it('is done and unmeasured with grades of one class', () => {
    const conclusion = concludeCalibration({ ...rest, rows: good.filter(({ human }) => human === 'pass').slice(0, 5) })
    expect(conclusion).toMatchObject({ kind: 'done', result: { measures: { trust: 'unmeasured', tpr: null, tnr: 1 } } })
    expect(conclusion.result.notes).toEqual([
      'There are no grades of failing answers, so tpr is not measured.',
      expect.stringMatching(/^5 graded items .* at least 20/),
    ])
  })

  it('names the most frequent model, and notes that there were several', () => {
    const rows = good.map((row, index) => (index < 10 ? { ...row, judgeModelResolved: 'sim-judge-0' } : row))
    const { result } = concludeCalibration({ ...rest, rows })
    expect(result.judgeModelResolved).toBe('sim-judge-1')
    expect(result.notes).toEqual(['The provider answered with 2 models: sim-judge-1 (85), sim-judge-0 (10).'])
  })
})
