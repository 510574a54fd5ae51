import type { Verdict } from '@ratchet/contracts/criteria'
import type { Arm } from '@ratchet/contracts/internal-alias'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { StoredAlias } from '../aliases/alias.ts'
import {
  type CountsByArm,
  type DrawnGrades,
  noDrawnGrades,
  noGrades,
  noScores,
  noTraffic,
  type ShadowCounts,
} from './arm-counts.ts'
import type { SegmentCounts } from './compare-segments.ts'
import { latenciesOf } from './pg-traffic.ts'

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
  readonly graded: number
}

/** Sums over the grades of drawn answers; the weight of an answer is 1 / the probability of its draw. */
interface GradeRow {
  readonly arm: Arm
  readonly verdict: Verdict
  readonly weights: number
  readonly squares: number
  readonly fail_weights: number
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

const scoresStatement = `${countedSamples}
  SELECT arm, (count(*) FILTER (WHERE verdict IS NOT NULL))::int AS scored,
    (count(*) FILTER (WHERE verdict = 'fail'))::int AS fails,
    (count(*) FILTER (WHERE failure = 'mixed'))::int AS mixed,
    (count(*) FILTER (WHERE failure <> 'mixed'))::int AS unjudged,
    (count(*) FILTER (WHERE verdict IS NOT NULL AND grade IS NOT NULL))::int AS graded
  FROM counted GROUP BY arm`

const gradesStatement = `${countedSamples}
  SELECT arm, verdict, sum(1 / grade_probability) AS weights, sum(1 / grade_probability ^ 2) AS squares,
    coalesce(sum(1 / grade_probability) FILTER (WHERE grade = 'fail'), 0) AS fail_weights
  FROM counted WHERE verdict IS NOT NULL AND grade IS NOT NULL AND grade_probability > 0 GROUP BY arm, verdict`

/** The segments with the most scored answers. */
const segmentsStatement = `${countedSamples},
  scored AS (SELECT segment, arm, count(*)::int AS scored, (count(*) FILTER (WHERE verdict = 'fail'))::int AS fails,
    sum(count(*)) OVER (PARTITION BY segment) AS total
    FROM counted WHERE verdict IS NOT NULL AND segment IS NOT NULL GROUP BY segment, arm)
  SELECT segment, arm, scored, fails FROM scored ORDER BY total DESC, segment LIMIT $4`

const openStatement = `
  SELECT arm, count(*)::int AS open FROM canary_sample WHERE alias_id = $1 AND epoch = $2 AND state = 'open' GROUP BY arm`

/** Age up to which an open sample holds back the verdicts after it, milliseconds. */
const timeoutMs = 600_000

/** The counts of both arms in the current epoch. */
export async function readArmCounts(pool: Pool, { id, epoch, settings }: StoredAlias, at: Date): Promise<CountsByArm> {
  const key = [id, epoch.number]
  const traffic = await pool.query<TrafficRow>(trafficStatement, key)
  const cut = [...key, new Date(at.getTime() - timeoutMs)]
  const scores = await pool.query<ScoreRow>(scoresStatement, cut)
  const grades = await pool.query<GradeRow>(gradesStatement, cut)
  const open = await pool.query<OpenRow>(openStatement, key)
  const countsOf = (arm: Arm, model: string) => ({
    model,
    ...noTraffic,
    ...noScores,
    ...noGrades,
    gradedFails: drawnGrades(grades.rows.find((row) => row.arm === arm && row.verdict === 'fail')),
    gradedPasses: drawnGrades(grades.rows.find((row) => row.arm === arm && row.verdict === 'pass')),
    ...trafficOf(traffic.rows.find((row) => row.arm === arm)),
    ...scoresOf(scores.rows.find((row) => row.arm === arm)),
    open: open.rows.find((row) => row.arm === arm)?.open ?? 0,
  })
  return {
    target: countsOf('target', settings.target_model),
    canary: countsOf('canary', settings.canary_model ?? settings.target_model),
  }
}

/** Kish's effective number of the weighted grades. */
function drawnGrades(row: GradeRow | undefined): DrawnGrades {
  if (row === undefined) return noDrawnGrades
  const drawn = row.weights ** 2 / row.squares
  return { drawn, humanFails: (drawn * row.fail_weights) / row.weights }
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
  readonly arm: Arm
  readonly scored: number
  readonly fails: number
}

/** Segments that are compared. More would share the alpha of the gate among too many. */
const maxSegments = 50

/** Verdicts of both arms by segment in the current epoch. */
export async function readSegmentCounts(pool: Pool, { id, epoch }: StoredAlias, at: Date): Promise<SegmentCounts[]> {
  const cut = new Date(at.getTime() - timeoutMs)
  const { rows } = await pool.query<SegmentRow>(segmentsStatement, [id, epoch.number, cut, 2 * maxSegments])
  const segments = [...new Set(rows.map(({ segment }) => segment))].slice(0, maxSegments)
  return segments.map((segment) => {
    const scoresIn = (arm: Arm) => {
      const row = rows.find((each) => each.segment === segment && each.arm === arm)
      return { scored: row?.scored ?? 0, fails: row?.fails ?? 0 }
    }
    return { segment, target: scoresIn('target'), canary: scoresIn('canary') }
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
