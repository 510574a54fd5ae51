import type { Verdict } from '@ratchet/contracts/criteria'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { Share } from '@ratchet/stats/rate-rise'
import type { DoneJudgement } from '../judgements/judgement.ts'

/** Rows of a calibration that its judge judges again and again. They never change, so only the judge can. */
export type Panel = Readonly<Record<Verdict, readonly DoneJudgement[]>>

/** Rows of each class that a panel has at most. */
const panelRows = 50
/**
 * Rows of each class that are judged again on a day. More of the failing ones, because a judge that misses fails shows
 * nowhere else, while a judge that fails good answers shows in live traffic too.
 */
const rowsPerDay: Readonly<Record<Verdict, number>> = { fail: 10, pass: 5 }
/** Rows of each class that are judged again after a drop. Most of a drop that a judge causes is on answers that pass. */
const rowsAfterDrop: Readonly<Record<Verdict, number>> = { fail: 100, pass: 200 }

const classes: readonly Verdict[] = ['fail', 'pass']

/** The panel of a calibration. A hash of their ids chooses the rows, so it is the same one each time. */
export function panelOf(rows: readonly DoneJudgement[]): Panel {
  return { fail: chosen(rows, 'fail', panelRows), pass: chosen(rows, 'pass', panelRows) }
}

/** The rows of a panel for a UTC day: the next ones of each class, from the first on again after the last. */
export function rowsOfDay(panel: Panel, day: number): readonly DoneJudgement[] {
  return classes.flatMap((human) => {
    const rows = panel[human]
    const count = Math.min(rowsPerDay[human], rows.length)
    const from = (day * count) % Math.max(1, rows.length)
    return [...rows, ...rows].slice(from, from + count)
  })
}

/** The rows that show whether the judge caused a drop. */
export function rowsOfDrop(rows: readonly DoneJudgement[]): readonly DoneJudgement[] {
  return classes.flatMap((human) => chosen(rows, human, rowsAfterDrop[human]))
}

/** How often the judge was wrong in the calibration, on the rows of its panel. */
export function baselineOf(panel: Panel): Readonly<Record<Verdict, Share>> {
  return { fail: wrongOf(panel.fail), pass: wrongOf(panel.pass) }
}

function wrongOf(rows: readonly DoneJudgement[]): Share {
  return { hits: rows.filter(({ human, verdict }) => verdict !== human).length, trials: rows.length }
}

function chosen(rows: readonly DoneJudgement[], human: Verdict, count: number): readonly DoneJudgement[] {
  const ofClass = rows.filter((row) => row.human === human && row.verdict !== null)
  const keyed = ofClass.map((row) => ({ row, key: deterministicId('panel', row.id) }))
  return keyed
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, count)
    .map(({ row }) => row)
}
