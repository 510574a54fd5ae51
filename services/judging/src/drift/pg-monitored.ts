import type { Pool } from '@ratchet/db/connect-pool'
import { daysBefore } from './check-drift.ts'
import type { Monitored } from './detectable-drop.ts'
import { startOfDay, utcDay } from './find-rise.ts'

/** Days whose mean is the present pace. */
const paceDays = 7

interface MonitoredRow {
  readonly criterion_id: string
  readonly trials: number
  readonly hits: number
  readonly recent: number
}

/** The verdicts that a drop from now on would be compared with. */
const statement = `
  SELECT c.id AS criterion_id, sum(d.judged)::float8 AS trials, sum(d.judged_fails)::float8 AS hits,
    coalesce(sum(d.judged) FILTER (WHERE d.day >= $2), 0)::float8 AS recent
  FROM criterion c JOIN drift_day d ON d.criterion_id = c.id AND d.instrument = c.instrument
  WHERE c.id = ANY($1::uuid[]) AND c.online_enabled AND d.day >= coalesce(c.drift_reference_from, $3) AND d.day >= $3
  GROUP BY c.id`

/** By criterion; those without a monitor, or without verdicts, are left out. */
export async function readMonitored(
  pool: Pool,
  criterionIds: readonly string[],
  at: Date,
): Promise<ReadonlyMap<string, Monitored>> {
  const today = utcDay(at)
  const days = [today - paceDays, today - daysBefore].map(startOfDay)
  const { rows } = await pool.query<MonitoredRow>(statement, [criterionIds, ...days])
  return new Map(
    rows.map(({ criterion_id: id, trials, hits, recent }) => [
      id,
      { before: { hits, trials }, verdictsPerDay: recent / paceDays },
    ]),
  )
}
