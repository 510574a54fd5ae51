import { repeatedRows } from '@ratchet/contracts/calibrations'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { clopperPearsonInterval } from '@ratchet/stats/clopper-pearson-interval'
import type { Interval } from '@ratchet/stats/interval'
import type { DoneJudgement } from '../judgements/judgement.ts'

/** Rows of a calibration that its judge judged twice, by the same prompt and model. */
export interface Repeats {
  /** Rows with a readable verdict the first time, at least 1. */
  readonly rows: number
  /** Rows that have the same verdict the second time. */
  readonly same: number
}

/** Draws the items that are judged a second time at random; the same ones for the same run. */
export function drawRepeated<Item extends { readonly itemKey: string }>(
  items: readonly Item[],
  runId: string,
): readonly Item[] {
  return items
    .map((item) => ({ item, key: deterministicId('repeat', runId, item.itemKey) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, repeatedRows(items.length))
    .map(({ item }) => item)
}

type Verdicts = Pick<DoneJudgement, 'labelId' | 'verdict' | 'failure'>

/**
 * Compares second verdicts with the first ones. An unreadable second verdict is another one; a row that was not judged a second
 * time, for example because its provider refused, does not count.
 *
 * @returns null without a row that was judged twice
 */
export function repeatsOf(rows: readonly Verdicts[], again: readonly Verdicts[]): Repeats | null {
  const first = new Map(rows.map(({ labelId, verdict }) => [labelId, verdict]))
  const twice = again.filter(
    ({ labelId, failure }) => (first.get(labelId) ?? null) !== null && (failure === null || failure === 'unparseable'),
  )
  const same = twice.filter(({ labelId, verdict }) => verdict === first.get(labelId)).length
  return twice.length === 0 ? null : { rows: twice.length, same }
}

/** How often a judge agrees with itself, with the exact 95 % interval: rows are few, and most of them agree. */
export function repeatabilityOf({ rows, same }: Repeats): { readonly rate: number; readonly interval: Interval } {
  const interval = clopperPearsonInterval(same, rows)
  if (interval === null) throw new RangeError('repeats have at least one row')
  return { rate: same / rows, interval }
}
