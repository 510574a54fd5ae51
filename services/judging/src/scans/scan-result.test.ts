import fc from 'fast-check'
import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import type { DoneJudgement } from '../judgements/judgement.ts'
import { type ScanEvidence, summarizeScan } from './scan-result.ts'

const nothingKnown: ScanEvidence = { matched: 1_000, randomGrades: new Map(), accuracy: null }
const calibrated = { truePositives: 46, humanFails: 50, trueNegatives: 95, humanPasses: 100 }

function verdicts(fails: number, passes: number): DoneJudgement[] {
  return Array.from({ length: fails + passes }, (_, index) =>
    doneJudgement(index, { verdict: index < fails ? 'fail' : 'pass' }),
  )
}

it('gives only the raw rate while the error rates of the judge are unknown', () => {
  expect(summarizeScan(verdicts(60, 340), nothingKnown)).toMatchObject({
    judged: 400,
    rawPassRate: 0.85,
    correctedPassRate: null,
    correctedCi: null,
    method: null,
  })
})

it('corrects the rate for the known errors of the judge', () => {
  const result = summarizeScan(verdicts(60, 340), { ...nothingKnown, accuracy: calibrated })
  expect(result.method).toBe('rogan_gladen')
  expect(result.correctedPassRate).toBeCloseTo(1 - 0.114943, 6)
  expect(result.correctedCi?.[0]).toBeCloseTo(1 - 0.173954, 6)
  expect(result.correctedCi?.[1]).toBeCloseTo(1 - 0.045187, 6)
})

it('uses grades of a random part alone where their interval is narrower', () => {
  const judged = verdicts(0, 400)
  const randomGrades = new Map(
    judged.slice(0, 200).map(({ item }) => [item.kind === 'log' ? item.logId : '', 'pass'] as const),
  )
  const weakJudge = { truePositives: 6, humanFails: 10, trueNegatives: 7, humanPasses: 10 }
  const result = summarizeScan(judged, { ...nothingKnown, randomGrades, accuracy: weakJudge })
  expect(result).toMatchObject({ method: 'gold_only', correctedPassRate: 1 })
})

it('counts judgements without a verdict by reason, and leaves them out of the rate', () => {
  const judged = [
    doneJudgement(1, { verdict: 'fail' }),
    doneJudgement(2, { verdict: null, failure: 'unparseable' }),
    doneJudgement(3, { verdict: null, failure: 'gone' }),
    doneJudgement(4, { verdict: null, failure: 'over_cap', costNano: 0n }),
  ]
  expect(summarizeScan(judged, nothingKnown)).toMatchObject({
    judged: 1,
    unparseable: 1,
    unjudged: 2,
    rawPassRate: 0,
    costNano: '3000',
  })
})

it('splits by segment, largest first, and the segments add up', () => {
  const segment = fc.constantFrom('a', 'b', 'c')
  const verdict = fc.constantFrom('pass' as const, 'fail' as const)
  fc.assert(
    fc.property(fc.array(fc.record({ segment, verdict }), { maxLength: 60 }), (rows) => {
      const { bySegment, judged, rawPassRate } = summarizeScan(
        rows.map((row, index) => doneJudgement(index, row)),
        nothingKnown,
      )
      expect(bySegment.reduce((sum, each) => sum + each.judged, 0)).toBe(judged)
      const passes = bySegment.reduce((sum, each) => sum + each.rawPassRate * each.judged, 0)
      expect(passes).toBeCloseTo((rawPassRate ?? 0) * judged, 9)
      const sizes = bySegment.map((each) => each.judged)
      expect(sizes).toEqual(sizes.toSorted((one, other) => other - one))
    }),
  )
})
