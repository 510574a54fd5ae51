import type { Verdict } from '@ratchet/contracts/criteria'
import type { RateStratum } from '@ratchet/stats/stratified-rate'
import { judgedVerdictOf, priorGroupOf } from '../labels/grading-frame.ts'
import type { MeasuredRow } from './measured-row.ts'

/** Rows that were chosen at random, from no strata. */
export const randomStratum = 'random'
/** Rows that people picked. */
export const pickedStratum = 'picked'

/** The stratum of a draw as rows store it: the draw, then the stratum in it. */
export function stratumKey(draw: string, stratum: string): string {
  return `${draw}/${stratum}`
}

/** The draw of a stratum; empty for rows of older releases, which stored the stratum alone. */
export function drawOf(stratum: string | null | undefined): string {
  const end = stratum?.indexOf('/') ?? -1
  if (stratum === null || stratum === undefined) return ''
  if (stratum === randomStratum || stratum === pickedStratum) return stratum
  return end === -1 ? '' : stratum.slice(0, end)
}

/** Rows that represent the traffic together: each draw is a sample of it, with or without strata. */
export interface Draw<Row extends DrawnRow = MeasuredRow> {
  readonly strata: readonly (readonly Row[])[]
}

type DrawnRow = Pick<MeasuredRow, 'samplingProbability' | 'stratum'>

/** With more strata than this, those with similar weights are joined. */
const maxStrata = 50

/** Rows by draw; those of a draw by stratum and sampling probability. */
export function drawsOf<Row extends DrawnRow>(rows: readonly Row[]): readonly Draw<Row>[] {
  return [...Map.groupBy(rows, ({ stratum }) => drawOf(stratum))].map(([draw, drawn]) => ({
    strata: draw === randomStratum || draw === pickedStratum ? [drawn] : joinSimilar(strataOf(drawn)),
  }))
}

function strataOf<Row extends DrawnRow>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const key = ({ stratum, samplingProbability }: Row) => JSON.stringify([stratum ?? null, samplingProbability])
  return [...Map.groupBy(rows, key).values()]
}

/** A caller may send a probability of its own with every grade. Their number would make the interval slow. */
function joinSimilar<Row extends DrawnRow>(strata: readonly (readonly Row[])[]): readonly (readonly Row[])[] {
  if (strata.length <= maxStrata) return strata
  const sorted = strata.toSorted((one, other) => weightOf(one[0]) - weightOf(other[0]))
  const joined = Math.ceil(sorted.length / maxStrata)
  return Array.from({ length: Math.ceil(sorted.length / joined) }, (_, index) =>
    sorted.slice(index * joined, (index + 1) * joined).flat(),
  )
}

/** The rows of the traffic that a row represents. */
function weightOf(row: DrawnRow | undefined): number {
  return row === undefined ? 0 : 1 / row.samplingProbability
}

/**
 * A stratum's counts of one human class. An item that people left out counts as an error: as one that the judge missed, unless
 * the verdict of the stratum would have found it; then as one of the other class.
 */
export function rateStratum(rows: readonly MeasuredRow[], human: Verdict): RateStratum {
  const count = (matches: (row: MeasuredRow) => boolean) => rows.filter(matches).length
  const found = count((row) => row.human === human && row.verdict === human)
  const verdict = verdictOf(rows[0]?.stratum, human)
  const unanswered = verdict === 'finds' ? 0 : count((row) => row.human === null)
  const missed = count((row) => row.human === human && row.verdict !== human) + unanswered
  return {
    rows: rows.reduce((total, row) => total + weightOf(row), 0),
    found,
    missed,
    others: rows.length - found - missed,
    verdict,
    priorGroup: priorGroupOf(nameOf(rows[0]?.stratum)),
  }
}

/** The name of a stratum in its draw. */
function nameOf(stratum: string | null | undefined): string {
  return stratum?.slice(stratum.indexOf('/') + 1) ?? ''
}

/** The names of strata that `next_to_grade` forms by verdict begin with the verdict. */
function verdictOf(stratum: string | null | undefined, human: Verdict): RateStratum['verdict'] {
  const judged = judgedVerdictOf(nameOf(stratum))
  if (judged === null) return null
  return judged === human ? 'finds' : 'misses'
}
