import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { baselineOf, panelOf, rowsOfDay, rowsOfDrop } from './panel.ts'

/** Graded rows, of which the first `fails` fail. The judge is wrong about each tenth. */
function rowsWith({ fails, passes }: { readonly fails: number; readonly passes: number }) {
  return Array.from({ length: fails + passes }, (_, index) => {
    const human = index < fails ? ('fail' as const) : ('pass' as const)
    const other = human === 'fail' ? ('pass' as const) : ('fail' as const)
    return doneJudgement(index, { labelId: `label-${index}`, human, verdict: index % 10 === 0 ? other : human })
  })
}

it('has the same rows whatever the order, at most 50 of a class', () => {
  const rows = rowsWith({ fails: 80, passes: 400 })
  const panel = panelOf(rows)
  expect([panel.fail.length, panel.pass.length]).toEqual([50, 50])
  expect(panelOf(rows.toReversed())).toEqual(panel)
})

it('judges 15 rows a day, and each row again after a round', () => {
  const panel = panelOf(rowsWith({ fails: 80, passes: 400 }))
  const round = Array.from({ length: 10 }, (_, day) => rowsOfDay(panel, 20_000 + day))
  expect(round.map(({ length }) => length)).toEqual(round.map(() => 15))
  const passes = round.flat().filter(({ human }) => human === 'pass')
  expect(new Set(passes.map(({ id }) => id))).toEqual(new Set(panel.pass.map(({ id }) => id)))
  const fails = round.slice(0, 5).flatMap((rows) => rows.filter(({ human }) => human === 'fail'))
  expect(new Set(fails.map(({ id }) => id))).toEqual(new Set(panel.fail.map(({ id }) => id)))
})

it('never judges a row twice on a day, and none of a class without rows', () => {
  const rows = rowsOfDay(panelOf(rowsWith({ fails: 3, passes: 0 })), 20_001)
  expect(rows.map(({ id }) => id).toSorted()).toHaveLength(3)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(3)
})

it('leaves out rows without a verdict', () => {
  const silent = doneJudgement(1, { human: 'fail', verdict: null, failure: 'unparseable' })
  expect(panelOf([silent])).toEqual({ fail: [], pass: [] })
})

it('counts what the judge had wrong in the calibration', () => {
  expect(baselineOf(panelOf(rowsWith({ fails: 20, passes: 30 })))).toEqual({
    fail: { hits: 2, trials: 20 },
    pass: { hits: 3, trials: 30 },
  })
})

it('judges at most 300 rows after a drop', () => {
  expect(rowsOfDrop(rowsWith({ fails: 500, passes: 500 }))).toHaveLength(300)
  expect(rowsOfDrop(rowsWith({ fails: 20, passes: 30 }))).toHaveLength(50)
})
