import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import {
  type DedicatedEndpoint,
  type EndpointAdapter,
  type EndpointEvent,
  type EndpointSettings,
  type EndpointStore,
  RoutingKeyTaken,
  type ServedVersion,
  type ShownReplica,
} from './endpoint.ts'
import type { EndpointRow, StopReason } from './endpoint-step.ts'
import { addedEvent, stateNotices } from './replica-statements.ts'
import { leastReplicas } from './scale.ts'

/** Endpoints in Postgres, as the API reads and changes them. */
export function createPgEndpoints(pool: Pool): EndpointStore {
  const read = async (text: string, values: readonly unknown[]) =>
    (await pool.query<ShownRow>(text, [...values])).rows.map(shownOf)
  const get = async ({ workspaceId, id }: { readonly workspaceId: string; readonly id: string }) =>
    (await read(`${shown} WHERE e.workspace_id = $1 AND e.id = $2 AND e.state <> 'DELETED'`, [workspaceId, id]))[0] ??
    null
  /** Runs a statement that changes an endpoint; null when it changed none. */
  const change = async (
    of: { readonly workspaceId: string; readonly id: string },
    text: string,
    values: readonly unknown[] = [],
  ) => ((await pool.query(text, [of.workspaceId, of.id, ...values])).rows.length === 0 ? null : get(of))
  return {
    async create(endpoint) {
      const values = [
        ...[endpoint.id, endpoint.workspaceId, endpoint.routingKey, endpoint.baseModel, endpoint.hardware],
        ...[String(endpoint.priceNanoPerHour), endpoint.maxContextLength, endpoint.precision, endpoint.createdBy],
        ...[JSON.stringify(endpoint.request), leastReplicas(endpoint), ...settingValues(endpoint)],
        ...[endpoint.version?.id ?? null, endpoint.version?.adapter ?? null],
        ...[endpoint.maxAdapters, adaptersText(endpoint.adapters)],
      ]
      await pool.query(createStatement, values).catch(asTakenKey)
      return await get(endpoint)
    },
    list: (workspaceId) =>
      read(`${shown} WHERE e.workspace_id = $1 AND e.state <> 'DELETED' ORDER BY e.created_at DESC, e.id DESC`, [
        workspaceId,
      ]),
    get,
    change: (of, settings, adapters) =>
      change(of, changeStatement, [...settingValues(settings), adaptersText(adapters)]).catch(asTakenKey),
    start: (of) => change(of, startStatement),
    stop: (of, reason) => change(of, stopStatement, [reason]),
    async events({ workspaceId, id }) {
      const { rows } = await pool.query<Row<'dedicatedEvent'>>(eventsStatement, [workspaceId, id])
      return rows.map(eventOf)
    },
    async used() {
      const { rows } = await pool.query<{ hardware: string; used: number }>(usedStatement)
      return new Map(rows.map(({ hardware, used }) => [hardware, used]))
    },
  }
}

function adaptersText(adapters: readonly EndpointAdapter[]): string {
  return JSON.stringify(
    adapters.map(({ routingKey: routing_key, id: version_id, adapter }) => ({ routing_key, version_id, adapter })),
  )
}

const takenKeys = new Set(['dedicated_key_pkey', 'dedicated_adapter_pkey'])

function asTakenKey(error: unknown): never {
  const { code, constraint } = error as { readonly code?: string; readonly constraint?: string }
  if (code === '23505' && takenKeys.has(constraint ?? '')) throw new RoutingKeyTaken('', { cause: error })
  throw error
}

function settingValues(settings: EndpointSettings): unknown[] {
  return [
    ...[settings.name, settings.minReplicas, settings.maxReplicas, settings.scaleToZeroAfterS],
    ...[settings.scaleUpWindowS, settings.scaleDownWindowS, settings.targetConcurrency],
    settings.maxHourlyCostNano === null ? null : String(settings.maxHourlyCostNano),
    ...[settings.drainingS, JSON.stringify(settings.metadata)],
  ]
}

/** An endpoint with what it costs, its replicas and its requests. */
const shown = `
  SELECT e.*, s.hour, s.day, s.total, s.held, t.running, t.waiting, t.last_request_at, c.p50, c.p95, coalesce((
    SELECT json_agg(json_build_object('id', r.id, 'state', r.state, 'created_at', r.created_at, 'ready_at', r.ready_at, 'adapters', (
      SELECT coalesce(json_agg(json_build_object('version', l.version_id, 'state', l.state)), '[]') FROM replica_adapter l
      WHERE l.replica_id = r.id AND l.state <> 'leaving'
    )) ORDER BY r.created_at, r.id) FROM replica r WHERE r.endpoint_id = e.id AND r.state <> 'ended'
  ), '[]') AS replicas, coalesce((
    SELECT json_agg(json_build_object('id', a.version_id, 'adapter', a.adapter, 'routingKey', a.routing_key)
      ORDER BY a.created_at, a.routing_key) FROM dedicated_adapter a WHERE a.endpoint_id = e.id AND a.removed_at IS NULL
  ), '[]') AS adapters
  FROM dedicated_endpoint e CROSS JOIN LATERAL (
    SELECT coalesce(sum(w.cost_nano), 0)::text AS total,
      coalesce(sum(w.cost_nano) FILTER (WHERE w.number > floor(extract(epoch FROM now()) / 300) - 12), 0)::text AS hour,
      coalesce(sum(w.cost_nano) FILTER (WHERE w.number > floor(extract(epoch FROM now()) / 300) - 288), 0)::text AS day,
      coalesce(sum(w.held_nano) FILTER (WHERE w.state = 'held'), 0)::text AS held
    FROM replica_window_cost w WHERE w.endpoint_id = e.id
  ) s CROSS JOIN LATERAL (
    SELECT coalesce(sum(f.running) FILTER (WHERE f.reported_at > now() - interval '10 seconds'), 0)::int AS running,
      coalesce(sum(f.waiting) FILTER (WHERE f.reported_at > now() - interval '10 seconds'), 0)::int AS waiting,
      max(f.last_request_at) AS last_request_at
    FROM dedicated_traffic f WHERE f.endpoint_id = e.id
  ) t CROSS JOIN LATERAL (
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY l.ms)::float8 AS p50,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY l.ms)::float8 AS p95
    FROM (
      SELECT round(1000 * extract(epoch FROM r.ready_at - r.created_at)) AS ms FROM replica r
      WHERE r.endpoint_id = e.id AND r.ready_at IS NOT NULL ORDER BY r.ready_at DESC LIMIT 20
    ) l
  ) c`

const createStatement = `
  WITH changed AS (
    INSERT INTO dedicated_endpoint (id, workspace_id, routing_key, base_model, hardware, price_nano_per_hour, max_context_length,
      precision, created_by, request, desired, name, min_replicas, max_replicas, scale_to_zero_after_s, scale_up_window_s,
      scale_down_window_s, target_concurrency, max_hourly_cost_nano, draining_s, metadata, model_version_id, adapter, max_adapters, state_at, created_at, event_seq)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, now(), now(), 1)
    ON CONFLICT (id) DO NOTHING RETURNING *
  ), adapted AS (
    INSERT INTO dedicated_adapter (routing_key, endpoint_id, workspace_id, version_id, adapter, created_at)
    SELECT a.routing_key, c.id, c.workspace_id, a.version_id, a.adapter, now() FROM changed c,
      jsonb_to_recordset($25::jsonb) AS a(routing_key text, version_id uuid, adapter text)
  )
  INSERT INTO dedicated_event (endpoint_id, seq, id, workspace_id, at, type, state, message, cost_nano)
  SELECT id, 1, gen_random_uuid(), workspace_id, now(), 'state', state, 'It was created.', 0 FROM changed
  RETURNING pg_notify('ratchet_work', '')::text`

const changeStatement = `
  WITH changed AS (
    UPDATE dedicated_endpoint e SET name = $3, min_replicas = $4, max_replicas = $5, scale_to_zero_after_s = $6,
      scale_up_window_s = $7, scale_down_window_s = $8, target_concurrency = $9, max_hourly_cost_nano = $10, draining_s = $11,
      metadata = $12, revision = e.revision + 1, event_seq = e.event_seq + 1,
      applied_revision = CASE WHEN e.state IN ('STOPPED', 'FAILED', 'SCALED_TO_ZERO') THEN e.revision + 1 ELSE e.applied_revision END
    WHERE e.workspace_id = $1 AND e.id = $2 AND e.state <> 'DELETED' AND e.stopping_for IS DISTINCT FROM 'delete' RETURNING e.*
  ), wanted AS (
    SELECT * FROM jsonb_to_recordset($13::jsonb) AS a(routing_key text, version_id uuid, adapter text)
  ), removed AS (
    UPDATE dedicated_adapter a SET removed_at = now() FROM changed e
    WHERE a.endpoint_id = e.id AND a.removed_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM wanted w WHERE w.routing_key = a.routing_key) RETURNING a.endpoint_id, a.version_id
  ), leaving AS (
    UPDATE replica_adapter l SET state = 'leaving', since = now() FROM removed r
    WHERE l.endpoint_id = r.endpoint_id AND l.version_id = r.version_id
  ), added AS (
    INSERT INTO dedicated_adapter (routing_key, endpoint_id, workspace_id, version_id, adapter, created_at)
    SELECT w.routing_key, e.id, e.workspace_id, w.version_id, w.adapter, now() FROM changed e, wanted w
    WHERE (SELECT count(*) FROM removed) >= 0 AND NOT EXISTS (
      SELECT 1 FROM dedicated_adapter a WHERE a.routing_key = w.routing_key AND a.endpoint_id = e.id AND a.removed_at IS NULL)
  ), ${addedEvent('changed', { type: 'changed', message: "'Its settings were changed.'" })}
  SELECT pg_notify('ratchet_work', '')::text FROM changed`

const startStatement = `
  WITH changed AS (
    UPDATE dedicated_endpoint e SET state = 'PENDING', state_at = now(), stopping_for = NULL, status_message = NULL,
      desired = greatest(1, e.min_replicas), failed_starts = 0, starts = e.starts + 1, event_seq = e.event_seq + 1,
      applied_revision = e.revision, leased_until = CASE WHEN e.attempts = 0 THEN NULL ELSE e.leased_until END
    WHERE e.workspace_id = $1 AND e.id = $2 AND e.state IN ('STOPPED', 'FAILED', 'SCALED_TO_ZERO')
      AND e.stopping_for IS DISTINCT FROM 'delete' RETURNING e.*
  ), ${addedEvent('changed', { type: 'state', message: "'It was started.'" })}, ${stateNotices('changed')}
  SELECT pg_notify('ratchet_work', '')::text FROM changed`

/** Deleting may follow stopping. */
const stopStatement = `
  WITH changed AS (
    UPDATE dedicated_endpoint e SET state = 'STOPPING', state_at = now(), stopping_for = $3, status_message = NULL, desired = 0,
      busy_since = NULL, calm_since = NULL, event_seq = e.event_seq + 1,
      leased_until = CASE WHEN e.attempts = 0 THEN NULL ELSE e.leased_until END
    WHERE e.workspace_id = $1 AND e.id = $2 AND e.state <> 'DELETED' AND e.stopping_for IS DISTINCT FROM 'delete'
      AND ($3 = 'delete' OR e.state NOT IN ('STOPPING', 'STOPPED', 'FAILED')) RETURNING e.*
  ), ${addedEvent('changed', { type: 'state', message: "CASE $3 WHEN 'delete' THEN 'It was deleted.' ELSE 'It was stopped.' END" })}, ${stateNotices('changed')}
  SELECT pg_notify('ratchet_work', '')::text FROM changed`

const eventsStatement = `
  SELECT v.* FROM dedicated_event v WHERE v.workspace_id = $1 AND v.endpoint_id = $2 ORDER BY v.seq DESC LIMIT 500`

const usedStatement = `
  SELECT hardware, count(*)::int AS used FROM replica WHERE host IS NOT NULL AND state <> 'ended' GROUP BY hardware`

interface ShownRow extends Row<'dedicatedEndpoint'> {
  readonly hour: string
  readonly day: string
  readonly total: string
  readonly held: string
  readonly running: number
  readonly waiting: number
  readonly last_request_at: Date | null
  readonly p50: number | null
  readonly p95: number | null
  readonly replicas: readonly {
    readonly id: string
    readonly state: ShownReplica['state']
    readonly created_at: string
    readonly ready_at: string | null
    readonly adapters: readonly { readonly version: string; readonly state: 'ready' | 'failed' }[]
  }[]
  readonly adapters: readonly EndpointAdapter[]
}

function shownOf(row: ShownRow): DedicatedEndpoint {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    ...settingsOf(row),
    routingKey: row.routing_key,
    baseModel: row.base_model,
    version: versionOf(row),
    hardware: row.hardware,
    priceNanoPerHour: BigInt(row.price_nano_per_hour),
    maxContextLength: row.max_context_length,
    precision: row.precision as DedicatedEndpoint['precision'],
    createdBy: row.created_by,
    createdAt: row.created_at,
    request: JSON.parse(row.request),
    state: row.state as EndpointRow['state'],
    stoppingFor: row.stopping_for as StopReason | null,
    statusMessage: row.status_message,
    lastError: row.last_error,
    desired: row.desired,
    maxAdapters: row.max_adapters,
    adapters: row.adapters,
    replicas: row.replicas.map(({ id, state, created_at, ready_at, adapters }) => {
      const readyAt = ready_at === null ? null : new Date(ready_at)
      const asked = adapters.map(({ version, state: proof }) => ({ versionId: version, isProven: proof === 'ready' }))
      return { id, state, createdAt: new Date(created_at), readyAt, adapters: asked }
    }),
    traffic: { running: row.running, waiting: row.waiting, lastRequestAt: row.last_request_at },
    spend: { hourNano: BigInt(row.hour), dayNano: BigInt(row.day), totalNano: BigInt(row.total) },
    heldNano: BigInt(row.held),
    coldStartMs: { p50: row.p50, p95: row.p95 },
  }
}

function settingsOf(row: Row<'dedicatedEndpoint'>): EndpointSettings {
  return {
    name: row.name,
    minReplicas: row.min_replicas,
    maxReplicas: row.max_replicas,
    scaleToZeroAfterS: row.scale_to_zero_after_s,
    scaleUpWindowS: row.scale_up_window_s,
    scaleDownWindowS: row.scale_down_window_s,
    targetConcurrency: row.target_concurrency,
    maxHourlyCostNano: row.max_hourly_cost_nano === null ? null : BigInt(row.max_hourly_cost_nano),
    drainingS: row.draining_s,
    metadata: JSON.parse(row.metadata) as Record<string, string>,
  }
}

function eventOf(row: Row<'dedicatedEvent'>): EndpointEvent {
  return {
    id: row.id,
    at: row.at,
    type: row.type as EndpointEvent['type'],
    state: row.state as EndpointRow['state'],
    replicaId: row.replica_id,
    message: row.message,
    costNano: BigInt(row.cost_nano),
  }
}

export function versionOf({
  model_version_id: id,
  adapter,
}: Pick<Row<'dedicatedEndpoint'>, 'model_version_id' | 'adapter'>): ServedVersion | null {
  return id === null || adapter === null ? null : { id, adapter }
}
