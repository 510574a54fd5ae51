import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import { versionOf } from './pg-endpoints.ts'
import { endedReplica } from './pg-replica-end.ts'
import { addedEvent, beginningOf } from './replica-statements.ts'
import type { HostedReplica, ReplicaStore } from './replica-store.ts'

/** Replicas in Postgres, as the workers see them in which their engines run. */
export function createPgReplicas(pool: Pool): ReplicaStore {
  return {
    async claim(host, slots) {
      const { rows } = await pool.query<{ running: number; waiting: number }>(countStatement)
      const { running, waiting } = rows[0] ?? { running: 0, waiting: 0 }
      if (waiting === 0) return running
      await inTransaction(pool, async (client) => {
        // One claim at a time, so that two workers do not take the same place.
        await client.query('SELECT pg_advisory_xact_lock($1)', [claimLock])
        await client.query(claimStatement, [host, JSON.stringify(Object.fromEntries(slots))])
      })
      return running
    },
    async hosted(host) {
      const { rows } = await pool.query<HostedRow>(hostedStatement, [host])
      return rows.map(hostedOf)
    },
    async known(ids) {
      const { rows } = await pool.query<{ id: string }>('SELECT id FROM replica WHERE id::text = ANY($1::text[])', [
        ids,
      ])
      return new Set(rows.map(({ id }) => id))
    },
    async seen(id, { isStarting }) {
      await pool.query(seenStatement, [id, isStarting])
    },
    async cacheUsed(id, used) {
      await pool.query(`UPDATE replica SET kv_cache_used = $2 WHERE id = $1 AND state = 'ready'`, [id, used])
    },
    async adapterDecided(id, { id: versionId, adapter }, error) {
      const reason = error === null ? null : storableText(error, 2_000)
      await pool.query(decidedStatement, [id, versionId, adapter, reason])
    },
    async adapterLost(id, versionId) {
      await pool.query(lostAdapterStatement, [id, versionId])
    },
    async adapterGone(id, versionId) {
      await pool.query(goneAdapterStatement, [id, versionId])
    },
    async ready(id, address) {
      await pool.query(readyStatement, [id, address])
    },
    async failedCheck(id) {
      await pool.query(`UPDATE replica SET failed_checks = failed_checks + 1 WHERE id = $1 AND state <> 'ended'`, [id])
    },
    async end(id, { reason, hasFailed }) {
      await pool.query(endStatement, [id, storableText(reason, 2_000), hasFailed])
    },
  }
}

const claimLock = 7_267_005

const countStatement = `
  SELECT count(*)::int AS running, (count(*) FILTER (WHERE host IS NULL AND state = 'waiting'))::int AS waiting
  FROM replica WHERE state <> 'ended'`

/** Workspaces with the fewest replicas come first, then the oldest. */
const claimStatement = `
  WITH used AS (
    SELECT hardware, count(*) AS machines FROM replica WHERE host IS NOT NULL AND state <> 'ended' GROUP BY hardware
  ), next AS (
    SELECT r.id, row_number() OVER (PARTITION BY r.hardware ORDER BY
      (SELECT count(*) FROM replica o WHERE o.workspace_id = r.workspace_id AND o.host IS NOT NULL AND o.state <> 'ended'),
      r.created_at, r.id) AS place
    FROM replica r WHERE r.host IS NULL AND r.state = 'waiting'
      AND EXISTS (SELECT 1 FROM replica_window w WHERE w.replica_id = r.id AND w.state = 'held')
  )
  UPDATE replica r SET host = $1, seen_at = now(), started_at = now() FROM next n
  WHERE r.id = n.id
    AND n.place <= ($2::jsonb ->> r.hardware)::int - coalesce((SELECT u.machines FROM used u WHERE u.hardware = r.hardware), 0)`

const hostedStatement = `
  SELECT r.id, r.workspace_id, r.state, r.failed_checks, e.base_model, e.model_version_id, e.adapter, e.hardware, e.max_context_length, e.precision, e.created_by, e.max_adapters, coalesce((
      SELECT json_agg(json_build_object('id', a.version_id, 'adapter', a.adapter, 'routingKey', a.routing_key)
        ORDER BY a.created_at, a.routing_key) FROM dedicated_adapter a WHERE a.endpoint_id = e.id AND a.removed_at IS NULL
    ), '[]') AS adapters, coalesce((
      SELECT json_agg(json_build_object('id', l.version_id, 'adapter', l.adapter, 'state', l.state,
        'forMs', round(1000 * extract(epoch FROM now() - l.since)))) FROM replica_adapter l WHERE l.replica_id = r.id
    ), '[]') AS loaded,
    (1000 * extract(epoch FROM now() - r.started_at))::float8 AS started_for_ms
  FROM replica r JOIN dedicated_endpoint e ON e.id = r.endpoint_id
  WHERE r.host = $1 AND r.state <> 'ended' ORDER BY r.created_at, r.id`

const seenStatement = `
  UPDATE replica SET seen_at = now(), failed_checks = 0,
    state = CASE WHEN $2 AND state = 'waiting' THEN 'starting' ELSE state END
  WHERE id = $1 AND state <> 'ended'`

/** Only when the present is paid; else it is tried again in a second. */
const readyStatement = `
  WITH changed AS (
    UPDATE replica r SET state = 'ready', address = $2, ready_at = now(), seen_at = now(), failed_checks = 0
    WHERE r.id = $1 AND r.state IN ('waiting', 'starting') AND EXISTS (
      SELECT 1 FROM replica_window w
      WHERE w.replica_id = r.id AND w.state = 'held' AND w.number = floor(extract(epoch FROM now()) / 300)
    ) RETURNING r.*
  ), opened AS (
    INSERT INTO replica_interval (replica_id, endpoint_id, workspace_id, from_at)
    SELECT c.id, c.endpoint_id, c.workspace_id, ${beginningOf('c.id')} FROM changed c
  ), counted AS (
    UPDATE dedicated_endpoint e SET event_seq = e.event_seq + 1, failed_starts = 0,
      leased_until = CASE WHEN e.attempts = 0 THEN NULL ELSE e.leased_until END
    FROM changed c WHERE e.id = c.endpoint_id RETURNING e.*
  ), ${addedEvent('counted', { type: 'replica', replica: '$1::uuid', message: "'A replica is ready.'" })}
  SELECT pg_notify('ratchet_work', '')::text FROM changed`

const decidedStatement = `
  WITH decided AS (
    INSERT INTO replica_adapter AS l (replica_id, version_id, endpoint_id, workspace_id, adapter, state, since)
    SELECT r.id, $2, r.endpoint_id, r.workspace_id, $3, CASE WHEN $4::text IS NULL THEN 'ready' ELSE 'failed' END, now()
    FROM replica r WHERE r.id = $1 AND r.state <> 'ended' AND EXISTS (
      SELECT 1 FROM dedicated_adapter a WHERE a.endpoint_id = r.endpoint_id AND a.version_id = $2 AND a.removed_at IS NULL)
    ON CONFLICT (replica_id, version_id) DO UPDATE SET state = excluded.state, since = excluded.since
    RETURNING l.endpoint_id
  )
  UPDATE dedicated_endpoint e SET last_error = coalesce($4, e.last_error),
    leased_until = CASE WHEN e.attempts = 0 THEN NULL ELSE e.leased_until END
  FROM decided d WHERE e.id = d.endpoint_id`

const lostAdapterStatement = `
  UPDATE replica_adapter SET state = 'leaving', since = now() WHERE replica_id = $1 AND version_id = $2 AND state = 'ready'`

const goneAdapterStatement = `
  DELETE FROM replica_adapter WHERE replica_id = $1 AND version_id = $2 AND state = 'leaving'`

const endStatement = `WITH ${endedReplica({
  condition: 'r.id = $1',
  reason: '$2::text',
  hasFailed: '$3::boolean',
  until: 'NULL',
})} SELECT pg_notify('ratchet_work', '')::text FROM changed`

interface HostedRow
  extends Pick<Row<'replica'>, 'id' | 'workspace_id' | 'failed_checks'>,
    Pick<
      Row<'dedicatedEndpoint'>,
      'base_model' | 'model_version_id' | 'adapter' | 'hardware' | 'max_context_length' | 'created_by' | 'max_adapters'
    > {
  readonly state: HostedReplica['state']
  readonly precision: HostedReplica['precision']
  readonly started_for_ms: number
  readonly adapters: HostedReplica['adapters']
  readonly loaded: HostedReplica['loaded']
}

function hostedOf(row: HostedRow): HostedReplica {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    createdBy: row.created_by,
    state: row.state,
    failedChecks: row.failed_checks,
    baseModel: row.base_model,
    version: versionOf(row),
    adapters: row.adapters,
    maxAdapters: row.max_adapters,
    loaded: row.loaded,
    hardware: row.hardware,
    maxContextLength: row.max_context_length,
    precision: row.precision,
    startedForMs: row.started_for_ms,
  }
}
