import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import fc from 'fast-check'
import type { KnownAccuracy } from '../calibration/judge-accuracy.ts'
import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import type { DoneJudgement } from '../judgements/judgement.ts'
import { type ScanEvidence, summarizeScan } from './scan-result.ts'

const nothingKnown: ScanEvidence = { matched: 1_000, randomGrades: new Map(), unanswered: new Set(), accuracy: null }
const calibrated = { truePositives: 46, humanFails: 50, trueNegatives: 95, humanPasses: 100 }

function known(accuracy: JudgeAccuracy): KnownAccuracy {
  return { withUnanswered: accuracy, answered: accuracy }
}

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

it('gives no rate from rows that people only left out', () => {
  const judged = verdicts(0, 300)
  const [first] = judged
  const unanswered = new Set([first?.item.kind === 'log' ? first.item.logId : ''])
  expect(summarizeScan(judged, { ...nothingKnown, unanswered })).toMatchObject({
    correctedPassRate: null,
    method: null,
  })
})

it('corrects the rate for the known errors of the judge', () => {
  const result = summarizeScan(verdicts(60, 340), { ...nothingKnown, accuracy: known(calibrated) })
  expect(result.method).toBe('rogan_gladen')
  expect(result.correctedPassRate).toBeCloseTo(1 - 0.114943, 6)
  expect(result.correctedCi?.[0]).toBeCloseTo(1 - 0.173954, 6)
  expect(result.correctedCi?.[1]).toBeCloseTo(1 - 0.045187, 6)
})

it('uses grades of a random part rather than the calibration of a weak judge', () => {
  const judged = verdicts(0, 400)
  const gradesOf = (count: number) =>
    new Map(judged.slice(0, count).map(({ item }) => [item.kind === 'log' ? item.logId : '', 'pass'] as const))
  const weakJudge = { truePositives: 6, humanFails: 10, trueNegatives: 7, humanPasses: 10 }
  const scanned = (count: number) =>
    summarizeScan(judged, { ...nothingKnown, randomGrades: gradesOf(count), accuracy: known(weakJudge) })
  expect(scanned(200)).toMatchObject({ method: 'ppi_plus_plus', correctedPassRate: 1 })
  expect(scanned(400)).toMatchObject({ method: 'gold_only', correctedPassRate: 1 })
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

describe('items that people were offered and left out', () => {
  const judged = verdicts(40, 360)
  const idOf = ({ item }: DoneJudgement) => (item.kind === 'log' ? item.logId : '')
  const offered = judged.slice(0, 200)
  const grades = new Map(offered.map((each) => [idOf(each), each.verdict ?? 'pass']))

  it('count as errors of the judge, and the interval holds whatever they are', () => {
    const leftOut = [...offered.slice(0, 5), ...offered.slice(-20)].map(idOf)
    const randomGrades = new Map([...grades].filter(([id]) => !leftOut.includes(id)))
    const without = summarizeScan(judged, { ...nothingKnown, randomGrades })
    const counted = summarizeScan(judged, { ...nothingKnown, randomGrades, unanswered: new Set(leftOut) })
    const holding = (verdict: 'fail' | 'pass') => {
      const all = new Map([...randomGrades, ...leftOut.map((id) => [id, verdict] as const)])
      return summarizeScan(judged, { ...nothingKnown, randomGrades: all }).correctedPassRate ?? 0
    }
    expect(counted.correctedPassRate).toBeLessThan(without.correctedPassRate ?? 0)
    expect(counted.correctedPassRate).toBeGreaterThan(holding('fail'))
    expect(counted.correctedCi?.[0]).toBeLessThan(holding('fail'))
    expect(counted.correctedCi?.[1]).toBeGreaterThan(holding('pass'))
  })

  it('change nothing when there are none', () => {
    const evidence = { ...nothingKnown, randomGrades: grades }
    expect(summarizeScan(judged, { ...evidence, unanswered: new Set(['another']) })).toEqual(
      summarizeScan(judged, evidence),
    )
  })

  it('of a calibration widen the interval in both directions', () => {
    const answered = { truePositives: 46, humanFails: 50, trueNegatives: 95, humanPasses: 100 }
    const withUnanswered = { ...answered, humanFails: 60, humanPasses: 110 }
    const narrow = summarizeScan(judged, { ...nothingKnown, accuracy: known(answered) })
    const wide = summarizeScan(judged, { ...nothingKnown, accuracy: { answered, withUnanswered } })
    expect(wide.correctedCi?.[0]).toBeLessThan(narrow.correctedCi?.[0] ?? 0)
    expect(wide.correctedCi?.[1]).toBeGreaterThanOrEqual(narrow.correctedCi?.[1] ?? 1)
  })
})
