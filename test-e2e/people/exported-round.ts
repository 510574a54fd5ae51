import { uuidOf } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import { stratifiedRate } from '@ratchet/stats/stratified-rate'
import { wilsonInterval } from '@ratchet/stats/wilson-interval'

/** An item of the frame of a round. */
export interface ExportedRow {
  readonly stratum: string
  /** Null when nobody has graded it. */
  readonly human: 'pass' | 'fail' | null
}

/** All rows of a round that each have at most one grade, the newest grade first, which is the order of the estimate. */
export async function exportRound(pool: Pool, round: string, criterion: string): Promise<readonly ExportedRow[]> {
  const text = `SELECT f.stratum, l.label AS human FROM grading_frame_item f LEFT JOIN label l
      ON l.criterion_id = $2 AND l.log_id = f.log_id AND l.superseded_by IS NULL
    WHERE f.frame_id = $1 ORDER BY l.created_at DESC NULLS LAST, l.id DESC`
  return (await pool.query<ExportedRow>(text, [uuidOf('round', round), uuidOf('criterion', criterion)])).rows
}

/** The rate of a human class by the rows of a round and nothing else, with the interval of its effective number of rows. */
export function rateOf(rows: readonly ExportedRow[], human: 'pass' | 'fail', seed: string) {
  const strata = [...Map.groupBy(rows, ({ stratum }) => stratum)].map(([stratum, all]) => {
    const graded = all.filter((row) => row.human !== null)
    const own = graded.filter((row) => row.human === human).length
    const finds = stratum.startsWith(`judged_${human}`)
    const counts = { found: finds ? own : 0, missed: finds ? 0 : own, others: graded.length - own }
    return { rows: all.length, ...counts, verdict: finds ? ('finds' as const) : ('misses' as const) }
  })
  const rated = stratifiedRate(strata, { seed })
  const interval = rated === null ? null : wilsonInterval(rated.effectiveSuccesses, rated.effectiveTrials)
  if (rated === null || interval === null) throw new Error('a stratum has no grade')
  return { rate: rated.rate, interval }
}
