import type { Pool } from '@ratchet/db/connect-pool'
import type { DrivenEndpoint } from './endpoint.ts'
import type { EndpointWorld, ReplicaState } from './endpoint-step.ts'
import type { KnownWindow } from './windows.ts'

/** Reads what is true outside the row of an endpoint. */
export async function readWorld(
  pool: Pool,
  { id, workspaceId }: Pick<DrivenEndpoint, 'id' | 'workspaceId'>,
): Promise<Omit<EndpointWorld, 'refused'>> {
  const { rows } = await pool.query<WorldRow>(worldStatement, [id, workspaceId])
  const [row] = rows
  if (row === undefined) throw new Error('The statement returned no row.')
  return worldOf(row)
}

const worldStatement = `
  SELECT now() AS now, t.*, (
    SELECT avg(r.kv_cache_used)::float8 FROM replica r
    WHERE r.endpoint_id = $1 AND r.workspace_id = $2 AND r.state = 'ready'
  ) AS cache_used, (
    SELECT count(*)::int FROM replica r JOIN dedicated_adapter a ON a.endpoint_id = r.endpoint_id AND a.removed_at IS NULL
    WHERE r.endpoint_id = $1 AND r.workspace_id = $2 AND r.state = 'ready' AND NOT EXISTS (
      SELECT 1 FROM replica_adapter l WHERE l.replica_id = r.id AND l.version_id = a.version_id AND l.state <> 'leaving')
  ) AS undecided, coalesce((
    SELECT json_agg(json_build_object('id', r.id, 'state', r.state, 'created_at', r.created_at, 'draining_at', r.draining_at,
      'seen_at', r.seen_at, 'running', (
        SELECT coalesce(sum((f.by_replica ->> r.id::text)::int), 0) FROM dedicated_traffic f
        WHERE f.endpoint_id = $1 AND f.workspace_id = $2 AND f.reported_at > now() - interval '10 seconds'
      )) ORDER BY r.created_at, r.id)
    FROM replica r WHERE r.endpoint_id = $1 AND r.workspace_id = $2 AND NOT r.settled
  ), '[]') AS replicas, coalesce((
    SELECT json_agg(json_build_object('replica_id', w.replica_id, 'number', w.number, 'state', w.state,
      'held_nano', w.held_nano::text, 'cost_nano', coalesce(w.cost_nano, 0)::text) ORDER BY w.number, w.replica_id)
    FROM replica_window w WHERE w.endpoint_id = $1 AND w.workspace_id = $2
      AND (w.state <> 'posted' OR w.number > floor(extract(epoch FROM now()) / 300) - 12)
  ), '[]') AS windows
  FROM (
    SELECT coalesce(sum(running) FILTER (WHERE reported_at > now() - interval '10 seconds'), 0)::int AS running,
      coalesce(sum(waiting) FILTER (WHERE reported_at > now() - interval '10 seconds'), 0)::int AS waiting,
      max(last_request_at) AS last_request_at
    FROM dedicated_traffic WHERE endpoint_id = $1 AND workspace_id = $2
  ) t`

interface WorldRow {
  readonly now: Date
  readonly running: number
  readonly waiting: number
  readonly last_request_at: Date | null
  readonly cache_used: number | null
  readonly undecided: number
  readonly replicas: readonly {
    readonly id: string
    readonly state: ReplicaState
    readonly created_at: string
    readonly draining_at: string | null
    readonly seen_at: string | null
    readonly running: number
  }[]
  readonly windows: readonly {
    readonly replica_id: string
    readonly number: number
    readonly state: KnownWindow['state']
    readonly held_nano: string
    readonly cost_nano: string
  }[]
}

function worldOf({
  now,
  running,
  waiting,
  last_request_at: lastRequestAt,
  cache_used: cacheUsed,
  undecided,
  ...row
}: WorldRow): Omit<EndpointWorld, 'refused'> {
  const timeOf = (text: string | null) => (text === null ? null : new Date(text))
  return {
    now,
    undecidedAdapters: undecided,
    traffic: { running, waiting, lastRequestAt, cacheUsed },
    replicas: row.replicas.map(({ created_at, draining_at, seen_at, ...replica }) => ({
      ...replica,
      createdAt: new Date(created_at),
      drainingAt: timeOf(draining_at),
      seenAt: timeOf(seen_at),
    })),
    windows: row.windows.map(({ replica_id, held_nano, cost_nano, ...window }) => ({
      ...window,
      replicaId: replica_id,
      heldNano: BigInt(held_nano),
      costNano: BigInt(cost_nano),
    })),
  }
}
