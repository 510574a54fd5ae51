import type { Verdict } from '@ratchet/contracts/criteria'
import type { Arm } from '@ratchet/contracts/internal-alias'
import type { Pool } from '@ratchet/db/connect-pool'
import { rolledBackFamilies, type StoredAlias } from '../aliases/alias.ts'
import type { DrawableSample, DrawableStratum, DrawnAnswer } from './draw-answers.ts'

interface DrawableRow {
  readonly log_id: string
  readonly cluster: string | null
  readonly arm: Arm
  readonly verdict: Verdict
  readonly members: number
  readonly drawn: number
  readonly rank: string
}

/** Sort key of the random order of an answer, in SQL. */
export const rankColumn = `encode(sha256(convert_to(alias_id::text || log_id::text, 'UTF8')), 'hex')`

/**
 * The order is random, the same in every call, and unknown to graders, so that all draws of a stratum are one sample. An
 * answer that a person picked and graded is drawn like any other: leaving it out would leave out what people pick.
 */
const drawableStatement = `
  SELECT log_id, cluster, arm, verdict, members, drawn, rank FROM (
    SELECT log_id, cluster, arm, verdict, grade_probability, rank,
      count(*) OVER stratum::int AS members, (count(grade_probability) OVER stratum)::int AS drawn,
      row_number() OVER (PARTITION BY arm, verdict, grade_probability IS NULL
        ORDER BY rank) AS place
    FROM (SELECT *, ${rankColumn} COLLATE "C" AS rank FROM canary_sample) AS s WHERE alias_id = $1 AND epoch = $2 AND verdict IS NOT NULL
      AND (segment IS NULL OR segment <> ALL($4::text[]))
    WINDOW stratum AS (PARTITION BY arm, verdict)
  ) AS ranked WHERE grade_probability IS NULL AND place <= $3 ORDER BY arm, verdict, place`

/** Answers that were not drawn yet, by arm and verdict, in the order in which they are drawn. */
export async function readDrawable(
  pool: Pool,
  { id, epoch, settings }: StoredAlias,
  limit: number,
): Promise<readonly DrawableStratum[]> {
  const { rows } = await pool.query<DrawableRow>(drawableStatement, [
    id,
    epoch.number,
    limit,
    rolledBackFamilies(settings),
  ])
  const strata = new Map<string, DrawableStratum & { readonly samples: DrawableSample[] }>()
  for (const { arm, verdict, members, drawn, log_id: logId, cluster, rank } of rows) {
    const key = `${arm} ${verdict}`
    const stratum = strata.get(key) ?? { arm, verdict, members, drawn, samples: [] }
    stratum.samples.push({ logId, cluster, rank })
    strata.set(key, stratum)
  }
  return [...strata.values()]
}

const drawsStatement = `
  UPDATE canary_sample s SET draw_probability = greatest(s.draw_probability, r.probability),
    offered_at = coalesce(s.offered_at, $5)
  FROM unnest($3::uuid[], $4::float8[]) AS r(log_id, probability)
  WHERE s.alias_id = $1 AND s.epoch = $2 AND s.log_id = r.log_id`

export async function saveDraws(
  pool: Pool,
  { id, epoch }: Pick<StoredAlias, 'id' | 'epoch'>,
  drawn: readonly DrawnAnswer[],
  at: Date,
): Promise<void> {
  if (drawn.length === 0) return
  const logIds = drawn.map(({ logId }) => logId)
  const probabilities = drawn.map(({ probability }) => probability)
  await pool.query(drawsStatement, [id, epoch.number, logIds, probabilities, at])
}
