import type { Pool } from '@ratchet/db/connect-pool'
import type { TrafficReport } from './traffic.ts'

export interface StoredReport extends TrafficReport {
  /** UUID of this process. */
  readonly reporter: string
  /** Calls in flight by replica, of an endpoint. */
  readonly running: (endpointId: string) => Readonly<Record<string, number>>
}

const traffic = `
  INSERT INTO dedicated_traffic AS d
    (endpoint_id, reporter, workspace_id, running, waiting, by_replica, last_request_at, reported_at)
  SELECT t.endpoint_id, $1, t.workspace_id, t.running, t.waiting, t.by_replica, now() - t.ago_ms * interval '1 millisecond', now()
  FROM jsonb_to_recordset($2::jsonb) AS t(endpoint_id uuid, workspace_id uuid, running int, waiting int, by_replica jsonb, ago_ms float8)
  ORDER BY t.endpoint_id
  ON CONFLICT (endpoint_id, reporter) DO UPDATE SET running = excluded.running, waiting = excluded.waiting,
    by_replica = excluded.by_replica, last_request_at = greatest(d.last_request_at, excluded.last_request_at), reported_at = now()`

/** A report whose answer was lost is stored again: then the counts of that second are too high. */
const minutes = `
  INSERT INTO dedicated_minute AS m
    (endpoint_id, minute, reporter, workspace_id, requests, errors, tokens, ttft_buckets, wait_buckets)
  SELECT t.endpoint_id, t.minute, $1, t.workspace_id, t.requests, t.errors, t.tokens, t.ttft, t.waits
  FROM jsonb_to_recordset($2::jsonb) AS t(endpoint_id uuid, minute timestamptz, workspace_id uuid, requests int, errors int,
    tokens bigint, ttft jsonb, waits jsonb)
  ORDER BY t.endpoint_id, t.minute
  ON CONFLICT (endpoint_id, minute, reporter) DO UPDATE SET requests = m.requests + excluded.requests,
    errors = m.errors + excluded.errors, tokens = m.tokens + excluded.tokens,
    ttft_buckets = (SELECT coalesce(jsonb_object_agg(k.key, k.count), '{}') FROM (SELECT key, sum(value::int) AS count FROM (
      SELECT * FROM jsonb_each_text(m.ttft_buckets) UNION ALL SELECT * FROM jsonb_each_text(excluded.ttft_buckets)) b GROUP BY key) k),
    wait_buckets = (SELECT coalesce(jsonb_object_agg(k.key, k.count), '{}') FROM (SELECT key, sum(value::int) AS count FROM (
      SELECT * FROM jsonb_each_text(m.wait_buckets) UNION ALL SELECT * FROM jsonb_each_text(excluded.wait_buckets)) b GROUP BY key) k)`

/** Days for which counts are kept; metrics of a week are shown. */
const keptDays = 8

export function createPgTraffic(pool: Pool, now: () => Date) {
  return {
    async add({ reporter, traffic: entries, minutes: counted, running }: StoredReport): Promise<void> {
      if (entries.length > 0) {
        const rows = entries.map((entry) => ({
          endpoint_id: entry.endpointId,
          workspace_id: entry.workspaceId,
          running: entry.running,
          waiting: entry.waiting,
          by_replica: running(entry.endpointId),
          // The database's clock decides, so that a wrong one here wakes and ends nothing.
          ago_ms: Math.max(0, now().getTime() - entry.lastRequestAt.getTime()),
        }))
        await pool.query(traffic, [reporter, JSON.stringify(rows)])
        if (rows.some(({ waiting }) => waiting > 0)) await pool.query(`SELECT pg_notify('ratchet_work', '')`)
      }
      if (counted.length === 0) return
      const rows = counted.map(({ endpointId: endpoint_id, workspaceId: workspace_id, ...counts }) => {
        return { ...counts, endpoint_id, workspace_id }
      })
      await pool.query(minutes, [reporter, JSON.stringify(rows)])
    },
    /** Deletes what is old. */
    async sweep(): Promise<void> {
      const old = `now() - interval '${keptDays} days'`
      await pool.query(`DELETE FROM dedicated_minute WHERE minute < ${old}`)
      await pool.query(`DELETE FROM dedicated_traffic WHERE reported_at < ${old}`)
    },
  }
}
