import type { FailureCause, RequestOutcome } from '@ratchet/contracts/failure-causes'
import type { FailureGroup } from '@ratchet/contracts/failures'
import type { Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { bucketQuantileMs } from '@ratchet/stats/latency-bucket'
import type { Period } from '../billing/accounts.ts'
import type { FailedRequest } from './count-outcomes.ts'
import type { FailureReport, FailureStore } from './failures.ts'

/** Groups that are told apart, the largest first. */
export const maxFailureGroups = 200
/** Longer periods are shown by day. */
const maxHourlyMs = 3 * dayMs

const groupOf: Readonly<Record<FailureGroup, string>> = {
  cause: 'o.outcome',
  model: "nullif(o.model, '')",
  provider: "nullif(o.provider, '')",
  key: "nullif(o.key_id::text, '00000000-0000-0000-0000-000000000000')",
  tag: "nullif(o.tag, '')",
  alias: "nullif(o.alias, '')",
  day: "to_char(o.hour AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
}

/** Counts of workspace $1 in [$2, $3): those of inference, and those of requests that the edge refused. */
const outcomes = `
outcome AS MATERIALIZED (
  SELECT hour, outcome, model, provider, key_id, tag, alias, count, first_at, last_at, last_request_id
  FROM request_outcome_hour
  WHERE workspace_id = $1::uuid AND hour >= $2::timestamptz AND hour < $3::timestamptz
  UNION ALL
  SELECT hour, cause, '', '', '00000000-0000-0000-0000-000000000000', '', '', count, first_at, last_at, last_request_id
  FROM edge_refusal_hour
  WHERE workspace_id = $1::uuid AND hour >= $2::timestamptz AND hour < $3::timestamptz
)`

/** Groups and series in one statement, and so of one moment. $4: most groups; $5: the unit of the series. */
const reportStatement = (groupBy: FailureGroup) => `
WITH ${outcomes},
grouped AS (
  SELECT ${groupOf[groupBy]} AS name, sum(count) AS failed, min(first_at) AS first_at, max(last_at) AS last_at,
    (array_agg(last_request_id ORDER BY last_at DESC))[1] AS last_request_id
  FROM outcome o WHERE o.outcome NOT IN ('answered', 'cached', 'client_left') GROUP BY 1
),
ranked AS (SELECT *, row_number() OVER (ORDER BY failed DESC, name) > $4::int AS is_other FROM grouped),
series AS (SELECT date_trunc($5, hour, 'UTC') AS at, outcome, sum(count) AS count FROM outcome GROUP BY 1, 2)
SELECT 'group' AS part, name, failed AS count, first_at, last_at, last_request_id, NULL::timestamptz AS at
FROM ranked WHERE NOT is_other
UNION ALL
SELECT 'others', count(*)::text, coalesce(sum(failed), 0), NULL, NULL, NULL, NULL FROM ranked WHERE is_other
UNION ALL
SELECT 'series', outcome, count, NULL, NULL, NULL, at FROM series
ORDER BY part, at, ${groupBy === 'day' ? 'name' : 'count DESC, name'}`

interface ReportRow {
  readonly part: 'group' | 'others' | 'series'
  readonly name: string | null
  readonly count: string
  readonly first_at: Date
  readonly last_at: Date
  readonly last_request_id: string
  readonly at: Date
}

/** Answers of workspace $1 in [$2, $3). */
const latencyStatement = `
SELECT bucket, sum(count) AS count FROM request_latency_hour
WHERE workspace_id = $1::uuid AND hour >= $2::timestamptz AND hour < $3::timestamptz GROUP BY bucket`

/** Rows of workspace $1 and cause $2 in [$3, $4), older than ($5, $6) when that is not null, at most $7. */
const rowsStatement = `
SELECT request_id, at, cause, model, provider, key_id, tag, alias, trace_id, upstream_status, tries, latency_ms,
  error_code, message
FROM failed_request
WHERE workspace_id = $1::uuid AND cause = $2 AND at >= $3::timestamptz AND at < $4::timestamptz
  AND ($5::timestamptz IS NULL OR (at, request_id) < ($5::timestamptz, $6::uuid))
  AND ($8::text IS NULL OR model = $8) AND ($9::text IS NULL OR provider = $9)
  AND ($10::uuid IS NULL OR key_id = $10) AND ($11::text IS NULL OR tag = $11)
ORDER BY at DESC, request_id DESC LIMIT $7::int`

interface FailedRow {
  readonly request_id: string
  readonly at: Date
  readonly cause: FailureCause
  readonly model: string
  readonly provider: string | null
  readonly key_id: string | null
  readonly tag: string | null
  readonly alias: string | null
  readonly trace_id: string | null
  readonly upstream_status: number | null
  readonly tries: number
  readonly latency_ms: number
  readonly error_code: string | null
  readonly message: string
}

export function createPgFailures(pool: Pool): FailureStore {
  return {
    async report(workspaceId, { from, to, groupBy }) {
      const values = [workspaceId, from, to, maxFailureGroups, unitOf({ from, to })]
      return reportOf((await pool.query<ReportRow>(reportStatement(groupBy), values)).rows)
    },
    async latency(workspaceId, { from, to }) {
      const { rows } = await pool.query<{ bucket: number; count: string }>(latencyStatement, [workspaceId, from, to])
      const counts = new Map(rows.map(({ bucket, count }) => [bucket, Number(count)]))
      const [p50Ms, p95Ms] = [bucketQuantileMs(counts, 0.5), bucketQuantileMs(counts, 0.95)]
      return p50Ms === null || p95Ms === null ? null : { p50Ms, p95Ms }
    },
    async rows(workspaceId, { cause, from, to, after, limit, model, provider, keyId, tag }) {
      const values = [
        workspaceId,
        cause,
        from,
        to,
        after?.at ?? null,
        after?.id ?? null,
        limit,
        model,
        provider,
        keyId,
        tag,
      ]
      const { rows } = await pool.query<FailedRow>(rowsStatement, values)
      return rows.map((row) => failedRequest(workspaceId, row))
    },
  }
}

function unitOf({ from, to }: Period): 'hour' | 'day' {
  return to.getTime() - from.getTime() > maxHourlyMs ? 'day' : 'hour'
}

function reportOf(rows: readonly ReportRow[]): FailureReport {
  const of = (part: ReportRow['part']) => rows.filter((row) => row.part === part)
  const series = of('series').map(({ at, name, count }) => ({
    at,
    outcome: name as RequestOutcome,
    count: Number(count),
  }))
  const total = (outcome: RequestOutcome) =>
    series.reduce((sum, each) => (each.outcome === outcome ? sum + each.count : sum), 0)
  const groups = of('group').map(({ name, count, first_at, last_at, last_request_id }) => ({
    group: name,
    failed: Number(count),
    firstAt: first_at,
    lastAt: last_at,
    lastRequestId: last_request_id,
  }))
  const [rest] = of('others')
  const others =
    rest === undefined || rest.name === '0' ? null : { groups: Number(rest.name), failed: Number(rest.count) }
  const failed = groups.reduce((sum, each) => sum + each.failed, others?.failed ?? 0)
  const whole = { answered: total('answered'), cached: total('cached'), clientLeft: total('client_left') }
  return { ...whole, failed, groups, others, series }
}

function failedRequest(workspaceId: string, row: FailedRow): FailedRequest {
  return {
    requestId: row.request_id,
    workspaceId,
    keyId: row.key_id,
    outcome: row.cause,
    at: row.at,
    model: row.model,
    provider: row.provider,
    tag: row.tag,
    alias: row.alias,
    traceId: row.trace_id,
    upstreamStatus: row.upstream_status,
    tries: row.tries,
    latencyMs: row.latency_ms,
    errorCode: row.error_code,
    message: row.message,
  }
}
