import type { Verdict } from '@ratchet/contracts/criteria'
import { type Arm, arms } from '@ratchet/contracts/internal-alias'
import type { Pool } from '@ratchet/db/connect-pool'
import { latencyBucket } from '@ratchet/stats/latency-bucket'
import type { ArmOfCalls, CanaryCounts, StoredCanary } from './canary.ts'

interface CountRow {
  readonly arm: Arm
  readonly assigned: number
  readonly scored: number
  readonly fails: number
  readonly open: number
  readonly unjudged: number
  readonly short: number
  readonly graded: number
  readonly ended: number
  readonly hung_up: number
  readonly tool_failed: number
}

interface CostRow {
  readonly arm: Arm
  readonly calls: number
  readonly usd: number
  readonly usd_squared: number
}

interface GradeRow {
  readonly arm: Arm
  readonly verdict: Verdict
  readonly skipped: boolean
  readonly answers: number
  readonly weights: number
  readonly squares: number
  readonly fail_weights: number
}

/**
 * The calls of a split by arm. They count in the order in which they began, up to the first without an outcome: else an arm whose bad
 * calls take long would look good at first.
 */
export async function readCounts(pool: Pool, canary: StoredCanary): Promise<CanaryCounts> {
  const { workspaceId, agentId, epoch, settings } = canary
  const key = [workspaceId, agentId, epoch, settings.gate_criterion_id]
  const [counts, waits, costs, grades] = await Promise.all([
    pool.query<CountRow>(countsStatement, key),
    pool.query<{ readonly arm: Arm; readonly wait_ms: number; readonly calls: number }>(waitsStatement, key),
    pool.query<CostRow>(costsStatement, key),
    pool.query<GradeRow>(gradesStatement, key),
  ])
  const of = (arm: Arm): ArmOfCalls => {
    const own = <T extends { readonly arm: Arm }>(rows: readonly T[]) => rows.filter((row) => row.arm === arm)
    const { assigned, scored, fails, open, unjudged, short, graded, ...guarded } = own(counts.rows)[0] ?? noCounts
    const cost = own(costs.rows)[0]
    const share = (having: number) => ({ having, of: guarded.ended })
    return {
      assigned,
      scored,
      fails,
      open,
      unjudged,
      short,
      graded,
      left_out: short,
      grades: own(grades.rows).map(({ arm: _arm, ...sums }) => sums),
      latencies: bucketsOf(own(waits.rows)),
      cost_usd: cost?.usd ?? 0,
      cost_usd_squared: cost?.usd_squared ?? 0,
      costed: cost?.calls ?? 0,
      failures: {
        short_increase: share(short),
        hangup_increase: share(guarded.hung_up),
        tool_error_increase: share(guarded.tool_failed),
      },
    }
  }
  const [target, canaryArm] = arms.map(of)
  return { target: target ?? of('target'), canary: canaryArm ?? of('canary') }
}

const noCounts: Omit<CountRow, 'arm'> = {
  assigned: 0,
  scored: 0,
  fails: 0,
  open: 0,
  unjudged: 0,
  short: 0,
  graded: 0,
  ended: 0,
  hung_up: 0,
  tool_failed: 0,
}

function bucketsOf(rows: readonly { readonly wait_ms: number; readonly calls: number }[]): Record<string, number> {
  const counts = new Map<number, number>()
  for (const { wait_ms: ms, calls } of rows) counts.set(latencyBucket(ms), (counts.get(latencyBucket(ms)) ?? 0) + calls)
  return Object.fromEntries(counts)
}

/** Calls that were held, up to the first that is open and began less than three hours ago: then it is not waited for. */
const counted = `
  WITH held AS (
    SELECT k.id, k.workspace_id, k.arm, k.created_at, k.ended_at, k.ended_reason, k.talked_ms, v.state, v.verdict, v.failure,
      v.grade, v.grade_probability, v.skip_probability,
      k.ended_at IS NULL OR v.state IN ('waiting', 'planned') AS is_open
    FROM call k LEFT JOIN call_verdict v
      ON v.call_id = k.id AND v.workspace_id = k.workspace_id AND v.criterion_id = $4::uuid
    WHERE k.workspace_id = $1 AND k.agent_id = $2 AND k.canary_epoch = $3 AND k.answered_at IS NOT NULL),
  cut AS (SELECT min(created_at) AS first_open FROM held WHERE is_open AND created_at > now() - interval '3 hours'),
  counted AS (SELECT h.* FROM held h, cut WHERE cut.first_open IS NULL OR h.created_at < cut.first_open)`

const countsStatement = `${counted},
  opened AS (SELECT arm, count(*)::int AS open FROM held WHERE is_open GROUP BY arm),
  assigned AS (SELECT arm, count(*)::int AS assigned FROM held GROUP BY arm)
  SELECT a.arm, a.assigned, coalesce(o.open, 0) AS open,
    (count(*) FILTER (WHERE c.verdict IS NOT NULL))::int AS scored,
    (count(*) FILTER (WHERE c.verdict = 'fail'))::int AS fails,
    (count(*) FILTER (WHERE c.failure = 'short'))::int AS short,
    (count(*) FILTER (WHERE c.failure <> 'short'))::int AS unjudged,
    (count(*) FILTER (WHERE c.verdict IS NOT NULL AND c.grade IS NOT NULL))::int AS graded,
    (count(c.id) FILTER (WHERE c.ended_at IS NOT NULL))::int AS ended,
    (count(*) FILTER (WHERE c.ended_reason = 'caller_hangup' AND c.talked_ms < 15000))::int AS hung_up,
    (count(*) FILTER (WHERE EXISTS (SELECT FROM call_turn t WHERE t.call_id = c.id AND t.workspace_id = c.workspace_id
      AND t.role = 'tool' AND t.text LIKE '[tool failed%')))::int AS tool_failed
  FROM assigned a LEFT JOIN counted c ON c.arm = a.arm LEFT JOIN opened o ON o.arm = a.arm
  GROUP BY a.arm, a.assigned, o.open`

/** What callers waited for an answer: the median of each call. */
const waitsStatement = `${counted},
  waits AS (SELECT c.arm, (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY (t.latency ->> 'total_ms')::int)
      FROM call_turn t WHERE t.call_id = c.id AND t.workspace_id = c.workspace_id AND t.latency ->> 'total_ms' IS NOT NULL) AS wait_ms
    FROM counted c)
  SELECT arm, wait_ms, count(*)::int AS calls FROM waits WHERE wait_ms IS NOT NULL GROUP BY arm, wait_ms`

const costsStatement = `${counted},
  costs AS (SELECT c.arm, (
      coalesce((SELECT sum(coalesce(s.charged_nano, s.cost_nano)) FROM call_slice s
        WHERE s.call_id = c.id AND s.workspace_id = c.workspace_id), 0)
      + coalesce((SELECT sum(r.cost_nano) FROM call_request r
        WHERE r.call_id = c.id AND r.workspace_id = c.workspace_id), 0))::float8 / 1e9 AS usd
    FROM counted c WHERE c.ended_at IS NOT NULL)
  SELECT arm, count(*)::int AS calls, sum(usd) AS usd, sum(usd * usd) AS usd_squared FROM costs GROUP BY arm`

const gradesStatement = `${counted},
  offered AS (SELECT arm, verdict, grade, coalesce(grade_probability, skip_probability) AS probability,
      grade_probability IS NULL AS skipped
    FROM counted WHERE verdict IS NOT NULL AND (grade_probability > 0 OR skip_probability > 0))
  SELECT arm, verdict, skipped, count(*)::int AS answers, sum(1 / probability) AS weights,
    sum(1 / probability ^ 2) AS squares, coalesce(sum(1 / probability) FILTER (WHERE grade = 'fail'), 0) AS fail_weights
  FROM offered GROUP BY arm, verdict, skipped`
