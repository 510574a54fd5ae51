import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { describeReplay, replayFinding } from './replay-finding.ts'

/** 40 rows that fail and 160 that pass; the judge was right about all. */
const rows = Array.from({ length: 200 }, (_, index) => {
  const human = index < 40 ? ('fail' as const) : ('pass' as const)
  return doneJudgement(index, { labelId: `label-${index}`, human, verdict: human })
})
const before = new Map(rows.map((row) => [row.labelId ?? '', row]))
const drop = { rise: 0.1, failRate: 0.2 }

/** The rows judged again, where the judge now fails the last ones that it passed. */
const failing = (count: number) =>
  rows.map((row, index) => (index >= rows.length - count ? { ...row, verdict: 'fail' as const } : row))

it('names the judge when it fails rows that it passed', () => {
  const finding = replayFinding(before, failing(20), drop)
  expect(finding).toMatchObject({ rows: 200, gained: 20, lost: 0, cause: 'judge' })
  // 20 of 160 passing rows, which are 80 % of the traffic.
  expect(finding.shift?.rise).toBeCloseTo((0.8 * 20) / 162, 12)
  expect(describeReplay(finding)).toMatch(/200 graded rows .* the judge has changed\.$/)
})

it('names the traffic when the judge explains less than half of the drop', () => {
  const finding = replayFinding(before, failing(1), drop)
  expect(finding).toMatchObject({ gained: 1, cause: 'traffic' })
  expect(describeReplay(finding)).toMatch(/the traffic has changed\.$/)
})

it.each([
  ['a drop is too small for the number of rows', failing(1), { ...drop, rise: 0.02 }],
  ['the judge changed too little to be sure', failing(3), { ...drop, rise: 0.03 }],
  ['there is no row', [], drop],
  ['an older release started the run, and the judge did not change', failing(0), null],
])('names no cause when %s', (_case, replayed, searched) => {
  const finding = replayFinding(before, replayed, searched)
  expect(finding.cause).toBeNull()
  expect(describeReplay(finding)).toMatch(/too few/)
})

it('names no cause without rows that people passed', () => {
  expect(replayFinding(before, failing(0).slice(0, 40), drop).cause).toBeNull()
})

it('counts only rows with a verdict both times', () => {
  const silent = rows.map((row, index) =>
    index < 5 ? { ...row, verdict: null, failure: 'unparseable' as const } : row,
  )
  expect(replayFinding(before, silent, drop)).toMatchObject({ rows: 195, gained: 0, lost: 0 })
})
