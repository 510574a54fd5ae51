import type { Pool } from '@ratchet/db/connect-pool'

/** What happened at an endpoint in a window. */
export interface EndpointCounts {
  readonly requests: number
  readonly errors: number
  readonly tokens: number
  /** Milliseconds until the first byte, and of waiting for a replica, counted by bucket. */
  readonly ttft: ReadonlyMap<number, number>
  readonly waits: ReadonlyMap<number, number>
  /** Replicas that were ready, at equally distant moments. */
  readonly replicas: readonly { readonly at: Date; readonly ready: number }[]
  /** Share of the KV cache that is in use now, on average of the replicas that are ready; null when engines do not say. */
  readonly cacheUsed: number | null
  readonly costNano: bigint
}

export interface MetricsQuery {
  readonly workspaceId: string
  readonly id: string
  readonly windowMs: number
}

export type ReadCounts = (query: MetricsQuery) => Promise<EndpointCounts>

/** Moments at which replicas are counted. */
const moments = 60

export function createPgMetrics(pool: Pool): ReadCounts {
  return async ({ workspaceId, id, windowMs }) => {
    const { rows } = await pool.query<CountsRow>(countsStatement, [workspaceId, id, windowMs, moments])
    const [row] = rows
    if (row === undefined) throw new Error('The statement returned no row.')
    return {
      requests: row.requests,
      errors: row.errors,
      tokens: Number(row.tokens),
      ttft: bucketsOf(row.ttft),
      waits: bucketsOf(row.waits),
      replicas: row.replicas.map(({ at, ready }) => ({ at: new Date(at), ready })),
      cacheUsed: row.cache_used,
      costNano: BigInt(row.cost),
    }
  }
}

const recent = `m.workspace_id = $1 AND m.endpoint_id = $2 AND m.minute >= now() - $3 * interval '1 millisecond'`
const merged = (column: string) => `coalesce((
    SELECT json_object_agg(b.bucket, b.count) FROM (
      SELECT x.key AS bucket, sum(x.value::int) AS count FROM dedicated_minute m, jsonb_each_text(m.${column}) x
      WHERE ${recent} GROUP BY 1
    ) b), '{}')`

const countsStatement = `
  SELECT coalesce(sum(m.requests), 0)::int AS requests, coalesce(sum(m.errors), 0)::int AS errors,
    coalesce(sum(m.tokens), 0)::text AS tokens, ${merged('ttft_buckets')} AS ttft, ${merged('wait_buckets')} AS waits,
    (SELECT json_agg(json_build_object('at', p.at, 'ready', (
      SELECT count(*) FROM replica_interval i WHERE i.workspace_id = $1 AND i.endpoint_id = $2
        AND i.from_at <= p.at AND (i.to_at IS NULL OR i.to_at > p.at)
    )) ORDER BY p.at) FROM (
      SELECT now() - (n * $3 / $4) * interval '1 millisecond' AS at FROM generate_series(0, $4 - 1) n
    ) p) AS replicas,
    (SELECT avg(r.kv_cache_used)::float8 FROM replica r
      WHERE r.workspace_id = $1 AND r.endpoint_id = $2 AND r.state = 'ready') AS cache_used,
    (SELECT coalesce(sum(c.cost_nano), 0) FROM replica_window_cost c WHERE c.workspace_id = $1 AND c.endpoint_id = $2
      AND to_timestamp(c.number * 300) >= now() - $3 * interval '1 millisecond')::text AS cost
  FROM dedicated_minute m WHERE ${recent}`

interface CountsRow {
  readonly requests: number
  readonly errors: number
  readonly tokens: string
  readonly ttft: Readonly<Record<string, number>>
  readonly waits: Readonly<Record<string, number>>
  readonly replicas: readonly { readonly at: string; readonly ready: number }[]
  readonly cache_used: number | null
  readonly cost: string
}

function bucketsOf(counts: Readonly<Record<string, number>>): ReadonlyMap<number, number> {
  return new Map(Object.entries(counts).map(([bucket, count]) => [Number(bucket), count]))
}
