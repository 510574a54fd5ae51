import type { Verdict } from '@ratchet/contracts/criteria'
import type { Arm } from '@ratchet/contracts/internal-alias'
import type { Pool } from '@ratchet/db/connect-pool'
import type { StoredAlias } from '../aliases/alias.ts'
import type { DrawableStratum } from './draw-answers.ts'

interface DrawableRow {
  readonly log_id: string
  readonly arm: Arm
  readonly verdict: Verdict
  readonly members: number
  readonly drawn: number
}

/**
 * The order is random, the same in every call, and unknown to graders, so that all draws of a stratum are one sample. An
 * answer that a person picked and graded is drawn like any other: leaving it out would leave out what people pick.
 */
const drawableStatement = `
  SELECT log_id, arm, verdict, members, drawn FROM (
    SELECT log_id, arm, verdict, grade_probability,
      count(*) OVER stratum::int AS members, (count(grade_probability) OVER stratum)::int AS drawn,
      row_number() OVER (PARTITION BY arm, verdict, grade_probability IS NULL
        ORDER BY sha256(convert_to(alias_id::text || log_id::text, 'UTF8'))) AS place
    FROM canary_sample WHERE alias_id = $1 AND epoch = $2 AND verdict IS NOT NULL
    WINDOW stratum AS (PARTITION BY arm, verdict)
  ) AS ranked WHERE grade_probability IS NULL AND place <= $3 ORDER BY arm, verdict, place`

/** Answers that were not drawn yet, by arm and verdict, in the order in which they are drawn. */
export async function readDrawable(
  pool: Pool,
  { id, epoch }: StoredAlias,
  limit: number,
): Promise<readonly DrawableStratum[]> {
  const { rows } = await pool.query<DrawableRow>(drawableStatement, [id, epoch.number, limit])
  const strata = new Map<string, DrawableStratum & { readonly logIds: string[] }>()
  for (const { arm, verdict, members, drawn, log_id: logId } of rows) {
    const key = `${arm} ${verdict}`
    const stratum = strata.get(key) ?? { arm, verdict, members, drawn, logIds: [] }
    stratum.logIds.push(logId)
    strata.set(key, stratum)
  }
  return [...strata.values()]
}
