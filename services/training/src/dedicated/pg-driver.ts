import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import { createPgRunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import type { DrivenEndpoint, DueWindow, EndpointDriver } from './endpoint.ts'
import type { EndpointRow, StopReason } from './endpoint-step.ts'
import { endedReplica } from './pg-replica-end.ts'
import { readWorld } from './pg-world.ts'
import { addedEvent, beginningOf, closedIntervals, noticeData, stateNotices } from './replica-statements.ts'
import { windowId } from './window-hold.ts'

/** Endpoints as workers change them, in Postgres. */
export function createPgEndpointDriver(pool: Pool): EndpointDriver {
  const leases = createPgRunLeases<EndpointColumns, DrivenEndpoint>(
    pool,
    {
      table: 'dedicated_endpoint',
      open: `(r.state NOT IN ('STOPPED', 'FAILED', 'DELETED')
        OR EXISTS (SELECT 1 FROM replica p WHERE p.endpoint_id = r.id AND NOT p.settled))`,
      ready: `(r.state <> 'SCALED_TO_ZERO' OR r.min_replicas > 0 OR r.revision <> r.applied_revision
        OR EXISTS (SELECT 1 FROM replica p WHERE p.endpoint_id = r.id AND NOT p.settled)
        OR EXISTS (SELECT 1 FROM dedicated_traffic t WHERE t.endpoint_id = r.id AND t.waiting > 0
          AND t.reported_at > now() - interval '10 seconds'))`,
    },
    drivenOf,
  )
  const change = async (text: string, { id, generation }: DrivenEndpoint, values: readonly unknown[] = []) => {
    await pool.query(text, [id, generation, ...values])
  }
  return {
    take: leases.take,
    renew: leases.renew,
    release: (endpoint, { delayMs, failures }) => change(releaseStatement, endpoint, [delayMs, failures]),
    async read({ id, generation }) {
      const { rows } = await pool.query<EndpointColumns>(readStatement, [id, generation])
      return rows[0] === undefined ? null : drivenOf(rows[0])
    },
    world: (endpoint) => readWorld(pool, endpoint),
    async due({ id, generation }, { replicaId, number }) {
      const { rows } = await pool.query<DueRow>(dueStatement, [id, generation, replicaId, number])
      return rows[0] === undefined ? null : dueOf(rows[0])
    },
    confirmHold: (endpoint, { replicaId, number }) => change(confirmStatement, endpoint, [replicaId, number]),
    post: (endpoint, { replicaId, number, isPaid }) => change(postStatement, endpoint, [replicaId, number, isPaid]),
    hold: (endpoint, { replicaId, number }) => change(heldStatement, endpoint, [replicaId, number]),
    ask: (endpoint, { replicaId, number, amountNano }) =>
      change(askStatement, endpoint, [replicaId, number, String(amountNano), windowId({ replicaId, number })]),
    forget: (endpoint, replicaId) => change(forgetStatement, endpoint, [replicaId]),
    add: (endpoint, replicaId) => change(addStatement, endpoint, [replicaId]),
    drain: (endpoint, { replicaId, reason }) => change(drainStatement, endpoint, [replicaId, reason]),
    end: (endpoint, { replicaId, reason, hasFailed, until }) =>
      change(endStatement, endpoint, [replicaId, storableText(reason, 2_000), hasFailed, until]),
    scale: (endpoint, { desired, busySince, calmSince }) =>
      change(scaleStatement, endpoint, [desired, busySince, calmSince]),
    stop: (endpoint, reason) => change(stopStatement, endpoint, [reason]),
    enter: (endpoint, { state, message }) =>
      change(enterStatement, endpoint, [state, message, endpoint.state, endpoint.stoppingFor, endpoint.revision]),
    applied: (endpoint) => change(appliedStatement, endpoint, [endpoint.revision]),
  }
}

const held = 'e.id = $1 AND e.generation = $2'

const releaseStatement = `
  UPDATE dedicated_endpoint e SET leased_until = now() + $3 * interval '1 millisecond', attempts = $4 WHERE ${held}`

const readStatement = `SELECT e.* FROM dedicated_endpoint e WHERE ${held}`

/** Written once: what is due does not change, whatever happens to the interval later. */
const dueStatement = `
  WITH decided AS (
    UPDATE replica_window w SET state = 'due', ready_ms = c.ready_ms, cost_nano = c.cost_nano
    FROM replica_window_cost c JOIN dedicated_endpoint e ON e.id = c.endpoint_id
    WHERE ${held} AND c.replica_id = $3 AND c.number = $4 AND w.replica_id = c.replica_id AND w.number = c.number
      AND w.state IN ('asked', 'held')
    RETURNING w.*
  )
  SELECT cost_nano::text, held_nano::text, taken FROM decided
  UNION ALL
  SELECT w.cost_nano::text, w.held_nano::text, w.taken FROM replica_window w JOIN dedicated_endpoint e ON e.id = w.endpoint_id
  WHERE ${held} AND w.replica_id = $3 AND w.number = $4 AND w.state = 'due'`

/** What the ledger did is written down, whoever has the lease now. */
const ofWindow = `e.id = $1 AND $2::int IS NOT NULL AND w.endpoint_id = e.id AND w.replica_id = $3 AND w.number = $4`

const confirmStatement = `UPDATE replica_window w SET taken = true FROM dedicated_endpoint e WHERE ${ofWindow}`

const postStatement = `
  UPDATE replica_window w SET state = 'posted', cost_nano = CASE WHEN $5 THEN w.cost_nano ELSE 0 END FROM dedicated_endpoint e
  WHERE ${ofWindow} AND w.state = 'due'`

const askStatement = `
  INSERT INTO replica_window (replica_id, number, endpoint_id, workspace_id, held_nano, id)
  SELECT r.id, $4, r.endpoint_id, r.workspace_id, $5, $6 FROM replica r
  WHERE r.endpoint_id = $1 AND $2::int IS NOT NULL AND r.id = $3
  ON CONFLICT DO NOTHING`

/**
 * What is held is written down, whoever has the lease now. When the window before was not paid, because no worker ran or the clock
 * has jumped, the time in between is nobody's: the interval ends with what was paid, and another one begins.
 */
const heldStatement = `
  WITH taken AS (
    UPDATE replica_window w SET state = 'held', taken = true FROM dedicated_endpoint e
    WHERE ${ofWindow} AND w.state = 'asked'
    RETURNING w.*
  ), changed AS (
    SELECT r.* FROM replica r JOIN taken t ON t.replica_id = r.id JOIN replica_interval i ON i.replica_id = r.id
    WHERE r.state = 'ready' AND i.to_at IS NULL AND i.from_at < to_timestamp(t.number * 300) AND NOT EXISTS (
      SELECT 1 FROM replica_window b WHERE b.replica_id = r.id AND b.number = t.number - 1 AND b.state <> 'asked')
  ), ${closedIntervals('changed')}
  INSERT INTO replica_interval (replica_id, endpoint_id, workspace_id, from_at)
  SELECT c.id, c.endpoint_id, c.workspace_id, greatest(${beginningOf('c.id')}, to_timestamp($4 * 300)) FROM changed c`

const forgetStatement = `
  UPDATE replica r SET settled = true FROM dedicated_endpoint e
  WHERE ${held} AND r.endpoint_id = e.id AND r.id = $3 AND r.state = 'ended'
    AND NOT EXISTS (SELECT 1 FROM replica_window w WHERE w.replica_id = r.id AND w.state <> 'posted')`

const addStatement = `
  INSERT INTO replica (id, endpoint_id, workspace_id, hardware, price_nano_per_hour, created_at)
  SELECT $3, e.id, e.workspace_id, e.hardware, e.price_nano_per_hour, now() FROM dedicated_endpoint e
  WHERE ${held} AND e.stopping_for IS NULL ON CONFLICT DO NOTHING`

/** It is charged on, unless what was paid is not the present, as after a jump of the clock: then its interval ends. */
const drainStatement = `
  WITH changed AS (
    UPDATE replica r SET state = 'draining', draining_at = now() FROM dedicated_endpoint e
    WHERE ${held} AND r.endpoint_id = e.id AND r.id = $3 AND r.state = 'ready' RETURNING r.*
  ), unpaid AS (
    SELECT c.* FROM changed c WHERE coalesce((
      SELECT max(w.number) - floor(extract(epoch FROM now()) / 300) FROM replica_window w
      WHERE w.replica_id = c.id AND w.state <> 'asked'), 2) NOT BETWEEN -1 AND 1
  ), ${closedIntervals('unpaid')}, counted AS (
    UPDATE dedicated_endpoint e SET event_seq = e.event_seq + 1 FROM changed c WHERE e.id = c.endpoint_id RETURNING e.*
  ), ${addedEvent('counted', { type: 'replica', replica: '$3', message: "'A replica finishes its requests: ' || $4::text" })}
  SELECT 1 FROM changed`

const endStatement = `WITH ${endedReplica({
  condition: `EXISTS (SELECT 1 FROM dedicated_endpoint e WHERE ${held} AND e.id = r.endpoint_id) AND r.id = $3`,
  reason: '$4::text',
  hasFailed: '$5::boolean',
  until: '$6::timestamptz',
})} SELECT 1 FROM changed`

const scaleStatement = `
  UPDATE dedicated_endpoint e SET desired = $3, busy_since = $4, calm_since = $5 WHERE ${held} AND e.stopping_for IS NULL`

const stopStatement = `
  WITH changed AS (
    UPDATE dedicated_endpoint e SET state = 'STOPPING', state_at = now(), stopping_for = $3, desired = 0, busy_since = NULL,
      calm_since = NULL, event_seq = e.event_seq + 1,
      status_message = CASE $3 WHEN 'cap' THEN 'The cost of an hour reached \`max_hourly_cost_usd\`.'
        ELSE 'The wallet does not cover the next five minutes.' END
    WHERE ${held} AND e.stopping_for IS NULL RETURNING e.*
  ), ${addedEvent('changed', { type: 'state', message: 'e.status_message' })}, ${stateNotices('changed')}, capped AS (
    INSERT INTO training_notice (id, workspace_id, type, data, created_at)
    SELECT gen_random_uuid(), e.workspace_id, 'endpoint.cap_reached', ${noticeData('e')}, now() FROM changed e
  )
  SELECT pg_notify('ratchet_work', '')::text FROM changed`

/** Nothing is entered on a decision about a row that the user has changed since. */
const enterStatement = `
  WITH changed AS (
    UPDATE dedicated_endpoint e SET state = $3, state_at = now(), status_message = $4, busy_since = NULL, calm_since = NULL,
      event_seq = e.event_seq + 1, failed_starts = CASE WHEN $3 = 'RUNNING' THEN 0 ELSE e.failed_starts END,
      desired = CASE WHEN $3 IN ('SCALED_TO_ZERO', 'STOPPED', 'FAILED', 'DELETED') THEN 0 ELSE e.desired END,
      deleted_at = CASE WHEN $3 = 'DELETED' THEN now() END
    WHERE ${held} AND e.state = $5 AND e.stopping_for IS NOT DISTINCT FROM $6 AND e.revision = $7 RETURNING e.*
  ), ${addedEvent('changed', { type: 'state', message: "coalesce(e.status_message, '')" })}, ${stateNotices('changed')}
  SELECT pg_notify('ratchet_work', '')::text FROM changed`

const appliedStatement = `
  UPDATE dedicated_endpoint e SET applied_revision = $3 WHERE ${held}`

type EndpointColumns = Row<'dedicatedEndpoint'>

function drivenOf(row: EndpointColumns): DrivenEndpoint {
  return {
    ...rowOf(row),
    id: row.id,
    workspaceId: row.workspace_id,
    routingKey: row.routing_key,
    hardware: row.hardware,
    createdBy: row.created_by,
    generation: row.generation,
    attempts: row.attempts,
  }
}

function rowOf(row: EndpointColumns): EndpointRow {
  return {
    state: row.state as EndpointRow['state'],
    stateAt: row.state_at,
    stoppingFor: row.stopping_for as StopReason | null,
    failedStarts: row.failed_starts,
    revision: row.revision,
    appliedRevision: row.applied_revision,
    priceNanoPerHour: BigInt(row.price_nano_per_hour),
    maxHourlyCostNano: row.max_hourly_cost_nano === null ? null : BigInt(row.max_hourly_cost_nano),
    drainingS: row.draining_s,
    minReplicas: row.min_replicas,
    maxReplicas: row.max_replicas,
    scaleToZeroAfterS: row.scale_to_zero_after_s,
    scaleUpWindowS: row.scale_up_window_s,
    scaleDownWindowS: row.scale_down_window_s,
    targetConcurrency: row.target_concurrency,
    desired: row.desired,
    busySince: row.busy_since,
    calmSince: row.calm_since,
  }
}

interface DueRow {
  readonly cost_nano: string
  readonly held_nano: string
  readonly taken: boolean
}

function dueOf({ cost_nano, held_nano, taken: isTaken }: DueRow): DueWindow {
  return { costNano: BigInt(cost_nano), heldNano: BigInt(held_nano), isTaken }
}
