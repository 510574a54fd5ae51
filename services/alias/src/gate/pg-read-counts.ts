import type { Arm } from '@ratchet/contracts/internal-alias'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { rolledBackFamilies, type StoredAlias } from '../aliases/alias.ts'
import { type CountsByArm, noGrades, noScores, noTraffic, type ShadowCounts } from './arm-counts.ts'
import type { SegmentCounts } from './compare-segments.ts'
import { rankColumn } from './pg-drawable.ts'
import { latenciesOf } from './pg-traffic.ts'
import { judgesRuns, runTimeoutMs } from './run-rules.ts'
import { type GradeSums, weighGrades } from './weigh-grades.ts'

type TrafficRow = Pick<
  Row<'armTraffic'>,
  'arm' | 'assigned' | 'served' | 'errors' | 'cost_usd' | 'cost_usd_squared' | 'latencies'
>

interface ScoreRow {
  readonly arm: Arm
  readonly scored: number
  readonly fails: number
  readonly unjudged: number
  readonly mixed: number
  readonly unfinished: number
  readonly assisted: number
  readonly graded: number
}

interface OpenRow {
  readonly arm: Arm
  readonly open: number
}

const trafficStatement = `
  SELECT arm, assigned, served, errors, cost_usd, cost_usd_squared, latencies FROM arm_traffic
  WHERE alias_id = $1 AND epoch = $2`

/** Samples before the first open one that is not too old. */
const countedSamples = `
  WITH cut AS (SELECT (SELECT log_id FROM canary_sample
    WHERE alias_id = $1 AND epoch = $2 AND state = 'open' AND created_at > $3 ORDER BY log_id LIMIT 1) AS first_open),
  counted AS (SELECT s.* FROM canary_sample s, cut
    WHERE alias_id = $1 AND epoch = $2 AND (cut.first_open IS NULL OR log_id < cut.first_open))`

/** A run that did not end counts like one that the judge fails. */
const isScored = `(verdict IS NOT NULL OR failure = 'unfinished')`
const isFailed = `(verdict = 'fail' OR failure = 'unfinished')`

/** Not of a segment that the gate rolled back. Samples of segments under a rule of a user do not exist in the epoch. */
const ofTheSplit = '(segment IS NULL OR segment <> ALL($4::text[]))'

const scoresStatement = `${countedSamples}
  SELECT arm, (count(*) FILTER (WHERE ${isScored}))::int AS scored,
    (count(*) FILTER (WHERE ${isFailed}))::int AS fails,
    (count(*) FILTER (WHERE failure = 'mixed'))::int AS mixed,
    (count(*) FILTER (WHERE failure = 'unfinished'))::int AS unfinished,
    (count(*) FILTER (WHERE failure = 'assisted'))::int AS assisted,
    (count(*) FILTER (WHERE failure NOT IN ('mixed', 'unfinished', 'assisted')))::int AS unjudged,
    (count(*) FILTER (WHERE verdict IS NOT NULL AND grade IS NOT NULL))::int AS graded
  FROM counted WHERE ${ofTheSplit} GROUP BY arm`

/**
 * An answer is skipped when another one that the gate offered after it, in the random order of its arm and verdict, has a
 * grade. Answers after the last grade are only not graded yet. For draws of the judge, judging finds the skipped ones.
 */
const gradesStatement = `${countedSamples},
  offered AS (SELECT arm, verdict, grade, grade_probability,
    coalesce(grade_probability, greatest(draw_probability, skip_probability)) AS probability,
    grade_probability IS NULL AND (skip_probability > 0 OR draw_probability > 0 AND bool_or(grade IS NOT NULL AND draw_probability > 0)
      OVER (PARTITION BY arm, verdict ORDER BY offered_at NULLS FIRST, ${rankColumn} COLLATE "C"
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)) AS skipped
    FROM counted WHERE verdict IS NOT NULL AND ${ofTheSplit}
      AND (grade_probability > 0 OR draw_probability > 0 OR skip_probability > 0))
  SELECT arm, verdict, skipped, count(*)::int AS answers, sum(1 / probability) AS weights,
    sum(1 / probability ^ 2) AS squares, coalesce(sum(1 / probability) FILTER (WHERE grade = 'fail'), 0) AS fail_weights
  FROM offered WHERE skipped OR grade_probability > 0 GROUP BY arm, verdict, skipped`

/**
 * The segments with the most scored answers. Their places go by all samples, scored or not, so that no verdict changes
 * them.
 */
const segmentsStatement = `${countedSamples},
  appeared AS (SELECT segment, (row_number() OVER (ORDER BY min(log_id::text)))::int AS place FROM canary_sample
    WHERE alias_id = $1 AND epoch = $2 AND segment IS NOT NULL GROUP BY segment),
  scored AS (SELECT segment, arm, count(*)::int AS scored, (count(*) FILTER (WHERE ${isFailed}))::int AS fails,
    sum(count(*)) OVER (PARTITION BY segment) AS total
    FROM counted WHERE ${isScored} AND segment IS NOT NULL GROUP BY segment, arm)
  SELECT segment, place, arm, scored, fails FROM scored JOIN appeared USING (segment)
  ORDER BY total DESC, segment LIMIT $4`

const openStatement = `
  SELECT arm, count(*)::int AS open FROM canary_sample WHERE alias_id = $1 AND epoch = $2 AND state = 'open' GROUP BY arm`

/** Age up to which an open answer holds back the verdicts after it, milliseconds. */
const answerTimeoutMs = 600_000

/** Samples that were found after this time hold back later ones while they are open. */
function heldBackAfter({ gate }: StoredAlias, at: Date): Date {
  return new Date(at.getTime() - (judgesRuns(gate.judge) ? runTimeoutMs : answerTimeoutMs))
}

/** The counts of both arms in the current epoch. */
export async function readArmCounts(pool: Pool, alias: StoredAlias, at: Date): Promise<CountsByArm> {
  const { id, epoch, settings } = alias
  const key = [id, epoch.number]
  const traffic = await pool.query<TrafficRow>(trafficStatement, key)
  const ofSplit = [...key, heldBackAfter(alias, at), rolledBackFamilies(settings)]
  const scores = await pool.query<ScoreRow>(scoresStatement, ofSplit)
  const grades = await pool.query<GradeSums>(gradesStatement, ofSplit)
  const open = await pool.query<OpenRow>(openStatement, key)
  const countsOf = (arm: Arm, model: string) => ({
    model,
    ...noTraffic,
    ...noScores,
    ...noGrades,
    ...weighGrades(arm, grades.rows),
    ...trafficOf(traffic.rows.find((row) => row.arm === arm)),
    ...scoresOf(scores.rows.find((row) => row.arm === arm)),
    open: open.rows.find((row) => row.arm === arm)?.open ?? 0,
  })
  return {
    target: countsOf('target', settings.target_model),
    canary: countsOf('canary', settings.canary_model ?? settings.target_model),
  }
}

function trafficOf(row: TrafficRow | undefined) {
  if (row === undefined) return {}
  return {
    assigned: Number(row.assigned),
    served: Number(row.served),
    errors: Number(row.errors),
    costUsd: row.cost_usd,
    costUsdSquared: row.cost_usd_squared,
    latencies: latenciesOf(row.latencies),
  }
}

function scoresOf(row: ScoreRow | undefined) {
  if (row === undefined) return {}
  const { arm: _arm, ...scores } = row
  return scores
}

interface SegmentRow {
  readonly segment: string
  readonly place: number
  readonly arm: Arm
  readonly scored: number
  readonly fails: number
}

/** Segments that are compared. More would share the alpha of the gate among too many. */
const maxSegments = 50

/** Verdicts of both arms by segment in the current epoch. */
export async function readSegmentCounts(pool: Pool, alias: StoredAlias, at: Date): Promise<SegmentCounts[]> {
  const values = [alias.id, alias.epoch.number, heldBackAfter(alias, at), 2 * maxSegments]
  const { rows } = await pool.query<SegmentRow>(segmentsStatement, values)
  const rolledBack = rolledBackFamilies(alias.settings)
  const places = new Map(rows.map(({ segment, place }) => [segment, place]))
  return [...places].slice(0, maxSegments).map(([segment, place]) => {
    const scoresIn = (arm: Arm) => {
      const row = rows.find((each) => each.segment === segment && each.arm === arm)
      return { scored: row?.scored ?? 0, fails: row?.fails ?? 0 }
    }
    const isRolledBack = rolledBack.includes(segment)
    return { segment, place, isRolledBack, target: scoresIn('target'), canary: scoresIn('canary') }
  })
}

interface ShadowRow {
  readonly mirrored: number
  readonly answered: number
  readonly errors: number
  readonly scored: number
  readonly fails: number
  readonly latency_ms: number
  readonly cost_nano: string
}

const shadowStatement = `
  SELECT count(*)::int AS mirrored, (count(*) FILTER (WHERE latency_ms IS NOT NULL))::int AS answered,
    (count(*) FILTER (WHERE failure = 'refused' AND latency_ms IS NULL))::int AS errors,
    (count(*) FILTER (WHERE verdict IS NOT NULL))::int AS scored,
    (count(*) FILTER (WHERE verdict = 'fail'))::int AS fails,
    coalesce(sum(latency_ms), 0) AS latency_ms, coalesce(sum(cost_nano), 0)::text AS cost_nano
  FROM shadow_sample WHERE alias_id = $1 AND model = $2`

/** The counts of the shadow model in all epochs of the last thirty days; null without one. */
export async function readShadowCounts(pool: Pool, { id, settings }: StoredAlias): Promise<ShadowCounts | null> {
  const { shadow_model: model } = settings
  if (model === null) return null
  const { rows } = await pool.query<ShadowRow>(shadowStatement, [id, model])
  const [row] = rows
  if (row === undefined) return null
  const { latency_ms: latencyMs, cost_nano: costNano, ...counts } = row
  return { model, ...counts, latencyMs, costUsd: Number(costNano) / 1e9 }
}
