import type { Pool } from '@ratchet/db/connect-pool'
import type { OutcomeReport } from './report-outcomes.ts'

/**
 * Adds a report: $1 reporter, $2 its number, $3 counts, $4 rows and $5 latencies as JSON. Nothing happens for a number that was stored
 * before. The counts are sorted, so that reports of two processes lock rows in the same order.
 */
const add = `
WITH fresh AS (
  INSERT INTO outcome_reporter AS r (id, number, reported_at) VALUES ($1::uuid, $2::bigint, now())
  ON CONFLICT (id) DO UPDATE SET number = excluded.number, reported_at = now() WHERE r.number < excluded.number
  RETURNING id
),
counted AS (
  INSERT INTO request_outcome_hour AS h
    (workspace_id, hour, outcome, model, provider, key_id, tag, alias, count, first_at, last_at, last_request_id)
  SELECT t.* FROM fresh, jsonb_to_recordset($3::jsonb) AS t(workspace_id uuid, hour timestamptz, outcome text, model text,
    provider text, key_id uuid, tag text, alias text, count bigint, first_at timestamptz, last_at timestamptz,
    last_request_id uuid)
  ORDER BY t.workspace_id, t.hour, t.outcome, t.model, t.provider, t.key_id, t.tag, t.alias
  ON CONFLICT (workspace_id, hour, outcome, model, provider, key_id, tag, alias) DO UPDATE SET
    count = h.count + excluded.count, first_at = least(h.first_at, excluded.first_at),
    last_at = greatest(h.last_at, excluded.last_at), last_request_id = excluded.last_request_id
),
timed AS (
  INSERT INTO request_latency_hour AS l (workspace_id, hour, bucket, count)
  SELECT t.* FROM fresh, jsonb_to_recordset($5::jsonb) AS t(workspace_id uuid, hour timestamptz, bucket smallint, count bigint)
  ORDER BY t.workspace_id, t.hour, t.bucket
  ON CONFLICT (workspace_id, hour, bucket) DO UPDATE SET count = l.count + excluded.count
)
INSERT INTO failed_request (request_id, workspace_id, at, cause, model, provider, key_id, tag, alias, trace_id,
  upstream_status, tries, latency_ms, error_code, message)
SELECT t.* FROM fresh, jsonb_to_recordset($4::jsonb) AS t(request_id uuid, workspace_id uuid, at timestamptz, cause text,
  model text, provider text, key_id uuid, tag text, alias text, trace_id text, upstream_status int, tries int,
  latency_ms int, error_code text, message text)
ON CONFLICT (at, request_id) DO NOTHING`

const noKey = '00000000-0000-0000-0000-000000000000'
/** Counts are kept for as long as a chart of a quarter needs them. */
const keptDays = 92

export function createPgOutcomes(pool: Pool) {
  return {
    async add({ reporter, number, counts, latencies, rows }: OutcomeReport): Promise<void> {
      const counted = counts.map(
        ({ workspaceId, keyId, provider, tag, alias, firstAt, lastAt, lastRequestId, ...rest }) => ({
          ...rest,
          workspace_id: workspaceId,
          key_id: keyId ?? noKey,
          provider: provider ?? '',
          tag: tag ?? '',
          alias: alias ?? '',
          first_at: firstAt,
          last_at: lastAt,
          last_request_id: lastRequestId,
        }),
      )
      const failed = rows.map((row) => ({
        request_id: row.requestId,
        workspace_id: row.workspaceId,
        at: row.at,
        cause: row.outcome,
        model: row.model,
        provider: row.provider,
        key_id: row.keyId,
        tag: row.tag,
        alias: row.alias,
        trace_id: row.traceId,
        upstream_status: row.upstreamStatus,
        tries: row.tries,
        latency_ms: row.latencyMs,
        error_code: row.errorCode,
        message: row.message,
      }))
      const timed = latencies.map(({ workspaceId, ...rest }) => ({ workspace_id: workspaceId, ...rest }))
      await pool.query(add, [reporter, number, ...[counted, failed, timed].map((each) => JSON.stringify(each))])
    },
    /** Creates partitions of days to come, and removes what is too old. */
    async sweep(): Promise<void> {
      await pool.query('SELECT keep_failed_requests()')
      await pool.query("DELETE FROM request_outcome_hour WHERE hour < now() - $1::int * interval '1 day'", [keptDays])
      await pool.query("DELETE FROM request_latency_hour WHERE hour < now() - $1::int * interval '1 day'", [keptDays])
      await pool.query("DELETE FROM outcome_reporter WHERE reported_at < now() - interval '1 day'")
    },
  }
}
