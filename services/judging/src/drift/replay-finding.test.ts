import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { describeReplay, replayFinding } from './replay-finding.ts'

const rows = Array.from({ length: 20 }, (_, index) =>
  doneJudgement(index, {
    labelId: `label-${index}`,
    human: index < 10 ? 'fail' : 'pass',
    verdict: index < 10 ? 'fail' : 'pass',
  }),
)
const before = new Map(rows.map((row) => [row.labelId ?? '', row]))
const turned = (count: number) =>
  rows.map((row, index) =>
    index < count ? { ...row, verdict: row.verdict === 'fail' ? ('pass' as const) : ('fail' as const) } : row,
  )

it('names the judge as the cause when it now gets rows wrong that it had right', () => {
  const finding = replayFinding(before, turned(8))
  expect(finding).toMatchObject({ rows: 20, worse: 8, better: 0, cause: 'judge' })
  expect(describeReplay(finding)).toMatch(/20 rows .* 8 wrong .* the judge has changed\.$/)
})

it('names the traffic as the cause when the judge differs no more than by chance', () => {
  expect(replayFinding(before, turned(2))).toMatchObject({ worse: 2, cause: 'traffic' })
})

it('counts only rows with a verdict both times', () => {
  const silent = rows.map((row, index) =>
    index < 5 ? { ...row, verdict: null, failure: 'unparseable' as const } : row,
  )
  expect(replayFinding(before, silent)).toMatchObject({ rows: 15, worse: 0, p: 1 })
})
