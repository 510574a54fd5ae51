import type { CallEventKind } from '@ratchet/contracts/voice/call-events'
import type { TurnLatency } from '@ratchet/contracts/voice/calls'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import type { RequestedTool } from '../engine/call-events.ts'
import type { CallFindings, NewCall, StoredCallEvent, WrittenTurn } from './call.ts'
import type { CallStore } from './call-store.ts'
import { addEndEvents, type CallRow, callColumns, callOf, erased, setEnded } from './pg-call-row.ts'

/** Most calls of a workspace that wait: for their callers, or for their turn at a number. */
export const maxWaiting = { web: 5, phone: 1_000 } as const
/** A worker that was not seen for longer takes no calls. */
export const workerSeenMs = 10_000

/** Calls in Postgres, for the API. */
export function createPgCalls(pool: Pool): CallStore {
  return {
    async hasRoom() {
      const { rows } = await pool.query<{ has_room: boolean }>(roomStatement, [workerSeenMs])
      return rows[0]?.has_room === true
    },
    create: (call) => withinQuota(() => inTransaction(pool, (client) => create(client, call))),
    async get({ workspaceId, id }) {
      const { rows } = await pool.query<CallRow>(getStatement, [workspaceId, id])
      return rows[0] === undefined ? null : callOf(rows[0])
    },
    async list({ workspaceId, userId, agentId, agentVersion, status, env, endedReason, start, end, ...filter }) {
      const { type, direction, numberId, limit, offset } = filter
      const values = [
        ...[workspaceId, userId, agentId, agentVersion, status, env, endedReason, start, end],
        ...[type, direction, numberId],
      ]
      const [counted, { rows }] = await Promise.all([
        pool.query<{ total: number }>(countStatement, values),
        pool.query<CallRow>(listStatement, [...values, limit, offset]),
      ])
      return { total: counted.rows[0]?.total ?? 0, calls: rows.map(callOf) }
    },
    async findings({ workspaceId, id }) {
      const { rows } = await pool.query<CallFindings>(findingsStatement, [workspaceId, id])
      return rows[0] ?? { consent: null, answeredBy: null }
    },
    async turns({ workspaceId, id }) {
      const { rows } = await pool.query<TurnRow>(turnsStatement, [workspaceId, id])
      return rows.map(turnOf)
    },
    async eventsAfter({ workspaceId, id }, seq, limit) {
      const { rows } = await pool.query<EventRow>(eventsStatement, [workspaceId, id, seq, limit])
      return rows.map(
        ({ seq: number, at_ms: atMs, kind, body }): StoredCallEvent => ({
          seq: number,
          atMs,
          kind: kind as CallEventKind,
          body: body as unknown as StoredCallEvent['body'],
        }),
      )
    },
    async endWaiting({ workspaceId, id }, { status, reason, by }) {
      return (await pool.query(endWaitingStatement, [workspaceId, id, status, reason, by])).rowCount === 1
    },
    async command({ workspaceId, id }, { id: commandId, at, kind, ...body }) {
      const values = [workspaceId, id, commandId, kind, JSON.stringify(body), at]
      return (await pool.query(commandStatement, values)).rowCount === 1
    },
    erase: ({ workspaceId, id }, at) =>
      inTransaction(pool, async (client) => {
        if ((await client.query(eraseStatement, [workspaceId, id, at])).rowCount !== 1) return false
        await client.query(eraseTurnsStatement, [workspaceId, id])
        await client.query(eraseEventsStatement, [workspaceId, id])
        await client.query(eraseRecordingStatement, [workspaceId, id])
        return true
      }),
  }
}

/** Keeps these advisory locks apart from those of other tables. */
const lockSeed = 0x6361_6c6c

/** Calls of a workspace are created one after the other, so that the number of those that wait is exact. */
async function create(client: PoolClient, call: NewCall): ReturnType<CallStore['create']> {
  const { workspaceId, agentId, line } = call
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [workspaceId, lockSeed])
  if ((await client.query(agentStatement, [workspaceId, agentId])).rowCount !== 1) return 'no_agent'
  if (line.type === 'phone') {
    const values = [workspaceId, line.numberId]
    if ((await client.query(numberStatement, values)).rowCount !== 1) return 'no_number'
  }
  const { rows } = await client.query<OpenRow>(openStatement, [workspaceId, workerSeenMs, line.type])
  if ((rows[0]?.waiting ?? 0) >= maxWaiting[line.type]) return 'waiting'
  // A call of a telephone takes its place when it is dialled.
  if (line.type === 'web' && rows[0]?.is_share_used === true) return 'no_room'
  await insertCall(client, call)
  return 'created'
}

/** Writes a call that waits, and its first event. */
export async function insertCall(client: Pick<PoolClient, 'query'>, call: NewCall): Promise<void> {
  const { workspaceId, id, userId, agentId, agentVersion, env, secretVariables: sealed, line } = call
  const ofLine =
    line.type === 'web'
      ? [Buffer.from(line.tokenHash), line.tokenExpiresAt, null, null, null, null, null]
      : [null, null, line.direction, line.numberId, line.toNumber, line.fromNumber, line.provider]
  await client.query(createStatement, [
    ...[id, workspaceId, userId, agentId, agentVersion, env],
    ...[call.overrides, call.variables, call.metadata].map((value) => JSON.stringify(value)),
    ...(sealed === null
      ? [null, null, null]
      : [sealed.keyId, Buffer.from(sealed.nonce), Buffer.from(sealed.ciphertext)]),
    ...[call.retentionDays, call.at, line.type],
    ...ofLine,
    ...[call.chosen?.arm ?? null, call.chosen?.epoch ?? null, call.dueAt],
  ])
  if (call.criterionIds.length > 0) {
    await client.query(verdictsStatement, [id, workspaceId, call.criterionIds, call.at])
  }
  await client.query(createdEventStatement, [id, workspaceId, call.at])
}

const roomStatement = `SELECT EXISTS (
  SELECT FROM voice_worker WHERE seen_at > now() - $1 * interval '1 millisecond' AND calls < max_calls) AS has_room`

/**
 * The last quarter of the places is for workspaces that hold less than a quarter. Workers say every few seconds how many calls they
 * hold; how many the workspace has is exact.
 */
const openStatement = `
  SELECT waiting, taken_by_it >= places / 4.0 AND places - GREATEST(taken, taken_by_it) <= places / 4.0 AS is_share_used
  FROM (SELECT count(*) FILTER (WHERE status = 'queued' AND type = $3)::int AS waiting,
      count(*) FILTER (WHERE status = 'in_progress' OR type = 'web')::int AS taken_by_it
    FROM call WHERE workspace_id = $1 AND status IN ('queued', 'in_progress')) own,
    (SELECT COALESCE(sum(max_calls), 0) AS places, COALESCE(sum(calls), 0) AS taken FROM voice_worker
      WHERE seen_at > now() - $2 * interval '1 millisecond') workers`

/** The agent cannot be deleted meanwhile. */
const agentStatement = `SELECT FROM agent WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL FOR SHARE`

/** Nor can the number. */
const numberStatement = `SELECT FROM voice_number WHERE workspace_id = $1 AND id = $2 FOR SHARE`

const createStatement = `
  INSERT INTO call (id, workspace_id, owner_user_id, agent_id, agent_version, env, overrides, variables, metadata,
    secret_key_id, secret_nonce, secret_ciphertext, retention_days, created_at, type, token_hash, token_expires_at,
    direction, number_id, to_number, from_number, provider, arm, canary_epoch, due_at, events)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, 1)`

const verdictsStatement = `
  INSERT INTO call_verdict (call_id, workspace_id, criterion_id, due_at) SELECT $1, $2, unnest($3::uuid[]), $4`

const createdEventStatement = `
  INSERT INTO call_event (call_id, workspace_id, seq, at_ms, kind, body, created_at)
  VALUES ($1, $2, 1, NULL, 'status', '{"status": "queued"}', $3)`

const getStatement = `SELECT ${callColumns} FROM call k WHERE k.workspace_id = $1 AND k.id = $2`

const filtered = `FROM call k
  WHERE k.workspace_id = $1 AND ($2::uuid IS NULL OR k.owner_user_id = $2) AND ($3::uuid IS NULL OR k.agent_id = $3)
    AND ($4::int IS NULL OR k.agent_version = $4) AND ($5::text IS NULL OR k.status = $5)
    AND ($6::text IS NULL OR k.env = $6) AND ($7::text IS NULL OR k.ended_reason = $7)
    AND ($8::timestamptz IS NULL OR k.created_at >= $8) AND ($9::timestamptz IS NULL OR k.created_at < $9)
    AND ($10::text IS NULL OR k.type = $10) AND ($11::text IS NULL OR k.direction = $11)
    AND ($12::uuid IS NULL OR k.number_id = $12)`
const countStatement = `SELECT count(*)::int AS total ${filtered}`
const listStatement = `SELECT ${callColumns} ${filtered} ORDER BY k.created_at DESC, k.id DESC LIMIT $13 OFFSET $14`

const turnsStatement = `
  SELECT "index", role, text, start_ms, end_ms, played_ms, interrupted, tool, latency FROM call_turn
  WHERE workspace_id = $1 AND call_id = $2 ORDER BY "index"`

const eventsStatement = `
  SELECT seq, at_ms, kind, body FROM call_event WHERE workspace_id = $1 AND call_id = $2 AND seq > $3
  ORDER BY seq LIMIT $4`

const findingsStatement = `
  SELECT max(body ->> 'answer') FILTER (WHERE kind = 'consent') AS consent,
    max(body ->> 'by') FILTER (WHERE kind = 'answered_by') AS "answeredBy"
  FROM call_event WHERE workspace_id = $1 AND call_id = $2 AND kind IN ('consent', 'answered_by')`

const endWaitingStatement = `
  WITH ended AS (
    UPDATE call SET status = $3, ended_reason = $4, ended_by = $5, ${setEnded}
    WHERE workspace_id = $1 AND id = $2 AND status = 'queued'
    RETURNING *
  )${addEndEvents}`

const commandStatement = `
  WITH live AS (
    UPDATE call SET stop_requested_at = CASE WHEN $4 = 'stop' THEN $6::timestamptz ELSE stop_requested_at END
    WHERE workspace_id = $1 AND id = $2
      AND (status = 'in_progress' OR ($4 = 'stop' AND status IN ('dialing', 'ringing'))) RETURNING id
  )
  INSERT INTO call_command (id, call_id, workspace_id, kind, body, created_at)
  SELECT $3, id, $1, $4, $5, $6 FROM live`

const eraseStatement = `
  UPDATE call SET ${erased}, erased_at = $3
  WHERE workspace_id = $1 AND id = $2 AND ended_at IS NOT NULL`
const eraseTurnsStatement = 'DELETE FROM call_turn WHERE workspace_id = $1 AND call_id = $2'
const eraseEventsStatement = 'DELETE FROM call_event WHERE workspace_id = $1 AND call_id = $2'
const eraseRecordingStatement = 'DELETE FROM call_recording_chunk WHERE workspace_id = $1 AND call_id = $2'

interface OpenRow {
  readonly waiting: number
  readonly is_share_used: boolean
}

type TurnRow = Pick<
  Row<'callTurn'>,
  'index' | 'role' | 'text' | 'start_ms' | 'end_ms' | 'played_ms' | 'interrupted' | 'tool' | 'latency'
>
type EventRow = Pick<Row<'callEvent'>, 'seq' | 'at_ms' | 'kind' | 'body'>

export function turnOf(row: TurnRow): WrittenTurn {
  const call = row.tool as unknown as RequestedTool | null
  return {
    index: row.index,
    role: row.role as WrittenTurn['role'],
    text: row.text,
    startMs: row.start_ms,
    endMs: row.end_ms,
    playedMs: row.played_ms,
    isInterrupted: row.interrupted,
    latency: row.latency as unknown as TurnLatency | null,
    ...(call === null ? {} : { call }),
  }
}
