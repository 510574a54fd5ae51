import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { addCallNotices } from '../notices/pg-call-notices.ts'
import type { WorkerCommand } from './call.ts'
import type { CallUpkeep, CallWork } from './call-work.ts'
import { addEndEvents, type CallRow, callColumns, callOf, erased, setEnded } from './pg-call-row.ts'
import { createPgCalls } from './pg-calls.ts'

/** Calls in Postgres, for workers. Times are those of the database, the same for all workers. */
export function createPgCallWork(pool: Pool): CallWork {
  return {
    async claim({ id, tokenHash, nextHash, workerId, carrierCallId = null }) {
      const values = [id, Buffer.from(tokenHash), Buffer.from(nextHash), workerId, carrierCallId]
      const { rows } = await pool.query<CallRow>(claimStatement, values)
      return rows[0] === undefined ? null : callOf(rows[0])
    },
    async renew(workerId, calls) {
      if (calls.length === 0) return []
      const values = [
        calls.map(({ id }) => id),
        calls.map(({ workspaceId }) => workspaceId),
        calls.map(({ generation }) => generation),
        calls.map(({ usage }) => Math.round(usage.answeredMs)),
        calls.map(({ usage }) => Math.round(usage.recognizedMs)),
        calls.map(({ usage }) => usage.spokenCharacters),
      ]
      const { rows } = await pool.query<{ id: string; is_stop_requested: boolean }>(renewStatement, [
        workerId,
        ...values,
      ])
      return rows.map(({ id, is_stop_requested: isStopRequested }) => ({ id, isStopRequested }))
    },
    async detach({ workspaceId, id, generation }, { usage, isLeaving }) {
      const used = [Math.round(usage.answeredMs), Math.round(usage.recognizedMs), usage.spokenCharacters]
      await pool.query(detachStatement, [workspaceId, id, generation, ...used, isLeaving])
    },
    async end({ workspaceId, id, generation }, { status, reason, by, usage }) {
      const used = [Math.round(usage.answeredMs), Math.round(usage.recognizedMs), usage.spokenCharacters]
      const values = [workspaceId, id, generation, ...used, status, reason, by]
      return (await pool.query(endStatement, values)).rowCount === 1
    },
    write: ({ workspaceId, id, generation }, { turns, events, spokenNow, at }) =>
      inTransaction(pool, async (client) => {
        const values = [workspaceId, id, generation, events.length, spokenNow && JSON.stringify(spokenNow)]
        const { rows } = await client.query<{ events: number }>(countEventsStatement, values)
        const [counted] = rows
        if (counted === undefined) return false
        const from = counted.events - events.length
        if (turns.length > 0) await client.query(turnsStatement, [id, workspaceId, JSON.stringify(turns), at])
        if (events.length > 0) {
          await client.query(eventsStatement, [id, workspaceId, from, JSON.stringify(events), at])
        }
        return true
      }),
    turns: createPgCalls(pool).turns,
    async takeCommands(workerId) {
      const { rows } = await pool.query<CommandRow>(commandsStatement, [workerId])
      return rows
        .toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime())
        .map(({ call_id: callId, kind, body }) => ({ ...body, kind, callId }) as WorkerCommand & { callId: string })
    },
    async publish({ id, calls, maxCalls }) {
      await pool.query(publishStatement, [id, calls, maxCalls])
    },
    async withdraw(workerId) {
      await pool.query(withdrawStatement, [workerId])
    },
  }
}

/** The upkeep of calls, for every process of the service. */
export function createPgCallUpkeep(pool: Pool): CallUpkeep {
  return {
    async endAbandoned(awayMs) {
      const answered = await pool.query(abandonedStatement, [awayMs])
      const unanswered = await pool.query(undialedStatement, [awayMs])
      return (answered.rowCount ?? 0) + (unanswered.rowCount ?? 0)
    },
    async unanswered(limit) {
      const { rows } = await pool.query<CallRow>(unansweredStatement, [limit])
      return rows.map(callOf)
    },
    endWaiting: createPgCalls(pool).endWaiting,
    sweep: (limit) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ id: string }>(sweepStatement, [limit])
        const ids = rows.map(({ id }) => id)
        if (ids.length === 0) return 0
        await client.query(sweepTurnsStatement, [ids])
        await client.query(sweepEventsStatement, [ids])
        await client.query(sweepRecordingsStatement, [ids])
        return ids.length
      }),
  }
}

/** The end of a call takes the place of what a dead worker left. */
const claimStatement = `
  WITH claimed AS (
  UPDATE call k SET status = 'in_progress', answered_at = COALESCE(answered_at, now()), generation = generation + 1,
    worker_id = $4, seen_at = now(), detached_at = NULL, token_hash = $3, token_expires_at = NULL
  WHERE k.id = $1 AND k.token_hash = $2 AND k.ended_at IS NULL
      AND ($5::text IS NULL OR k.carrier ->> 'id' IS NULL OR k.carrier ->> 'id' = $5) AND (k.token_expires_at IS NULL OR k.token_expires_at > now())
  RETURNING k.*
  ), noticed AS (${addCallNotices('claimed', 'call.started', 'c.generation = 1')}
  )
  SELECT ${callColumns} FROM claimed k`

const renewStatement = `
  UPDATE call k SET seen_at = now(), talked_ms = h.talked_ms, recognized_ms = h.recognized_ms,
    spoken_characters = h.spoken_characters
  FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::int[], $6::int[], $7::int[])
    AS h(id, workspace_id, generation, talked_ms, recognized_ms, spoken_characters)
  WHERE k.id = h.id AND k.workspace_id = h.workspace_id AND k.generation = h.generation AND k.worker_id = $1
    AND k.ended_at IS NULL
  RETURNING k.id, k.stop_requested_at IS NOT NULL AS is_stop_requested`

const detachStatement = `
  UPDATE call SET talked_ms = $4, recognized_ms = $5, spoken_characters = $6, worker_id = NULL, seen_at = now(),
    detached_at = CASE WHEN $7 THEN NULL ELSE now() END
  WHERE workspace_id = $1 AND id = $2 AND generation = $3 AND ended_at IS NULL`

const endStatement = `
  WITH ended AS (
    UPDATE call SET talked_ms = $4, recognized_ms = $5, spoken_characters = $6, status = $7, ended_reason = $8,
      ended_by = $9, worker_id = NULL, dialog = NULL, ${setEnded}
    WHERE workspace_id = $1 AND id = $2 AND generation = $3 AND ended_at IS NULL
    RETURNING *
  )${addEndEvents}`

const countEventsStatement = `
  UPDATE call SET events = events + $4, spoken_now = CASE WHEN ended_at IS NULL THEN $5::jsonb END
  WHERE workspace_id = $1 AND id = $2 AND generation = $3 RETURNING events`

const turnsStatement = `
  INSERT INTO call_turn
    (call_id, workspace_id, "index", role, text, start_ms, end_ms, played_ms, interrupted, tool, latency, created_at)
  SELECT $1, $2, t."index", t.role, t.text, t."startMs", t."endMs", t."playedMs", t."isInterrupted", t.call, t.latency, $4
  FROM jsonb_to_recordset($3::jsonb) AS t("index" int, role text, text text, "startMs" float8, "endMs" float8,
    "playedMs" float8, "isInterrupted" boolean, call jsonb, latency jsonb)
  ON CONFLICT (call_id, "index") DO NOTHING`

const eventsStatement = `
  INSERT INTO call_event (call_id, workspace_id, seq, at_ms, kind, body, created_at)
  SELECT $1, $2, $3 + e.number, (e.event ->> 'atMs')::float8, e.event ->> 'kind', e.event -> 'body', $5
  FROM jsonb_array_elements($4::jsonb) WITH ORDINALITY AS e(event, number)`

const commandsStatement = `
  DELETE FROM call_command c USING call k
  WHERE k.id = c.call_id AND k.workspace_id = c.workspace_id AND k.worker_id = $1 AND k.ended_at IS NULL
  RETURNING c.call_id, c.kind, c.body, c.created_at`

const publishStatement = `
  INSERT INTO voice_worker (id, seen_at, calls, max_calls) VALUES ($1, now(), $2, $3)
  ON CONFLICT (id) DO UPDATE SET seen_at = now(), calls = EXCLUDED.calls, max_calls = EXCLUDED.max_calls`

/** Also those that did not say so. */
const withdrawStatement = `DELETE FROM voice_worker WHERE id = $1 OR seen_at < now() - interval '1 hour'`

const abandonedStatement = `
  WITH ended AS (
    UPDATE call SET status = 'completed', worker_id = NULL,
      ended_reason = CASE WHEN detached_at IS NULL THEN 'worker_lost'
        WHEN stop_requested_at IS NOT NULL THEN 'api_stop' ELSE 'caller_hangup' END,
      ended_by = CASE WHEN detached_at IS NULL THEN 'system' WHEN stop_requested_at IS NOT NULL THEN 'api' ELSE 'caller' END,
      ${setEnded}
    WHERE status = 'in_progress' AND (
      COALESCE(detached_at, seen_at) < now() - $1 * interval '1 millisecond'
      OR (detached_at IS NOT NULL AND stop_requested_at IS NOT NULL))
    RETURNING *
  )${addEndEvents}`

/** A caller who connects in the last moment is still connecting. A call to a telephone waits for its turn. */
const unansweredStatement = `
  SELECT ${callColumns} FROM call k WHERE k.status = 'queued' AND (
    k.token_expires_at < now() - interval '2 seconds' OR (k.type = 'phone' AND COALESCE(k.due_at, k.created_at) < now() - interval '1 hour'))
  ORDER BY COALESCE(k.due_at, k.created_at) LIMIT $1`

/** Calls that were not answered when their worker died are dialed no second time. Those without a worker rang at a carrier, which was silent. */
const undialedStatement = `
  WITH ended AS (
    UPDATE call SET status = 'failed', worker_id = NULL, ended_by = 'system', ${setEnded},
      ended_reason = CASE WHEN worker_id IS NULL THEN 'carrier_error' ELSE 'worker_lost' END
    WHERE status IN ('dialing', 'ringing') AND seen_at < now() - $1 * interval '1 millisecond'
    RETURNING *
  )${addEndEvents}`

const sweepStatement = `
  UPDATE call SET ${erased}, erased_at = now()
  WHERE id IN (SELECT id FROM call WHERE expires_at < now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING id`
const sweepTurnsStatement = 'DELETE FROM call_turn WHERE call_id = ANY($1::uuid[])'
const sweepEventsStatement = 'DELETE FROM call_event WHERE call_id = ANY($1::uuid[])'
const sweepRecordingsStatement = 'DELETE FROM call_recording_chunk WHERE call_id = ANY($1::uuid[])'

interface CommandRow {
  readonly call_id: string
  readonly kind: WorkerCommand['kind']
  readonly body: Readonly<Record<string, unknown>>
  readonly created_at: Date
}
