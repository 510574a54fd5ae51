import type { CallStatus } from '@ratchet/contracts/voice/calls'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { LegSnapshot } from '@ratchet/sip/agent/sip-leg'
import type { NewCall, StoredCall } from '../calls/call.ts'
import { addEndEvents, type CallRow, callColumns, callOf, setEnded } from '../calls/pg-call-row.ts'
import { insertCall } from '../calls/pg-calls.ts'
import { addCallNotices } from '../notices/pg-call-notices.ts'
import type { NumberKey } from '../numbers/number.ts'
import { type NumberRow, numberColumns, numberOf } from '../numbers/pg-numbers.ts'
import type { LeftCall, PhoneWork } from './phone-work.ts'

/** Calls of telephones in Postgres, for workers. Times are those of the database. */
export function createPgPhoneWork(pool: Pool): PhoneWork {
  return {
    async numbers(revision) {
      const { rows } = await pool.query<{ revision: string }>(revisionStatement)
      const [{ revision: present } = { revision: '' }] = rows
      if (present === revision) return null
      const found = await pool.query<NumberRow>(numbersStatement)
      return { revision: present, numbers: found.rows.map(numberOf) }
    },
    takeDue: (workerId) => inTransaction(pool, (client) => takeDue(client, workerId)),
    createIncoming: (call, workerId) =>
      inTransaction(pool, async (client) => {
        const { workspaceId, id, line } = call
        if (line.type !== 'phone') throw new Error('only telephones call a number')
        if (!(await lockNumber(client, { workspaceId, id: line.numberId }))) return 'busy' as const
        const refusal = await requireRoomAndAgent(client, call)
        if (refusal !== null) return refusal
        await insertCall(client, call)
        const { rows } = await client.query<CallRow>(ringStatement, [workspaceId, id, workerId])
        return callOf(rows[0] as CallRow)
      }),
    async setRinging({ workspaceId, id, generation }, carrier) {
      await pool.query(ringingStatement, [workspaceId, id, generation, JSON.stringify(carrier)])
    },
    async setAnswered({ workspaceId, id, generation }, { carrier, dialog }) {
      const values = [workspaceId, id, generation, JSON.stringify(carrier), JSON.stringify(dialog)]
      return (await pool.query(answeredStatement, values)).rowCount === 1
    },
    async saveDialog({ workspaceId, id, generation }, dialog) {
      await pool.query(dialogStatement, [workspaceId, id, generation, JSON.stringify(dialog)])
    },
    async endUnanswered({ workspaceId, id, generation }, { status, reason, by, carrier }) {
      const values = [workspaceId, id, generation, status, reason, by, carrier && JSON.stringify(carrier)]
      await pool.query(endUnansweredStatement, values)
    },
    async renewRinging(workerId, ids) {
      if (ids.length === 0) return []
      const { rows } = await pool.query<{ id: string; is_stop_requested: boolean }>(renewStatement, [workerId, ids])
      return rows.map(({ id, is_stop_requested: isStopRequested }) => ({ id, isStopRequested }))
    },
    async takeLeft(workerId, awayMs) {
      return leftCallOf((await pool.query<LeftRow>(takeLeftStatement, [workerId, awayMs])).rows)
    },
    async takeUnclosed() {
      return leftCallOf((await pool.query<LeftRow>(takeUnclosedStatement)).rows)
    },
    async takeChecks() {
      const { rows } = await pool.query<{ workspace_id: string; id: string }>(takeChecksStatement)
      return rows.map(({ workspace_id: workspaceId, id }) => ({ workspaceId, id }))
    },
    async saveCheck({ workspaceId, id }, answeredMs) {
      await pool.query(saveCheckStatement, [workspaceId, id, answeredMs])
    },
  }
}

/** Calls of a number begin one after the other, so that its limits are exact. @returns whether it still exists */
export async function lockNumber(client: PoolClient, { workspaceId, id }: NumberKey): Promise<boolean> {
  return (await client.query(lockStatement, [workspaceId, id])).rowCount === 1
}

/** @returns why a call to a number cannot begin; null: it can */
export async function requireRoomAndAgent(
  client: PoolClient,
  { workspaceId, agentId, line }: NewCall,
): Promise<'busy' | 'no_agent' | null> {
  const numberId = line.type === 'phone' ? line.numberId : null
  if ((await client.query(roomStatement, [workspaceId, numberId])).rowCount !== 1) return 'busy'
  return (await client.query(agentStatement, [workspaceId, agentId])).rowCount === 1 ? null : 'no_agent'
}

/** The event of a status of a call that is not answered yet. */
export async function addStatusEvent(
  client: PoolClient,
  { id, workspace_id }: Pick<CallRow, 'id' | 'workspace_id'>,
  status: CallStatus,
): Promise<void> {
  await client.query(eventStatement, [id, workspace_id, JSON.stringify({ status })])
}

/** One worker at a time counts the calls of a number, so that its limits are exact. */
async function takeDue(client: PoolClient, workerId: string): Promise<StoredCall | null> {
  const [number] = (await client.query<{ id: string; workspace_id: string }>(dueNumberStatement)).rows
  if (number === undefined) return null
  const values = [number.workspace_id, number.id, workerId]
  const [row] = (await client.query<CallRow>(dialStatement, values)).rows
  if (row === undefined) return null
  await addStatusEvent(client, row, 'dialing')
  return callOf(row)
}

interface LeftRow extends CallRow {
  readonly dialog: unknown
}

function leftCallOf([row]: readonly LeftRow[]): LeftCall | null {
  return row === undefined ? null : { call: callOf(row), dialog: row.dialog as LegSnapshot }
}

const revisionStatement = `
  SELECT count(*) || ' ' || COALESCE(max(updated_at)::text, '') || ' ' || COALESCE(sum(version), 0) AS revision
  FROM voice_number WHERE provider = 'sip'`
const numbersStatement = `
  SELECT ${numberColumns} FROM voice_number n
  LEFT JOIN voice_number_secret s ON s.id = n.id AND s.workspace_id = n.workspace_id
  WHERE n.provider = 'sip' ORDER BY n.id`

/** A slot of a number `n` is a row in a live state. */
export const hasTurn = `
  (SELECT count(*) FROM call l WHERE l.number_id = n.id AND l.ended_at IS NULL AND l.status <> 'queued')
    < (n.settings ->> 'max_concurrent')::int
  AND (SELECT count(*) FROM call l WHERE l.number_id = n.id AND l.dialed_at > clock_timestamp() - interval '1 second')
    < (n.settings ->> 'max_calls_per_second')::int`

/** Whether a call `q` may be dialed now. */
export const isDue = '(q.due_at IS NULL OR q.due_at <= now())'

const dueNumberStatement = `
  SELECT n.id, n.workspace_id FROM voice_number n
  WHERE n.provider = 'sip' AND n.id IN (SELECT q.number_id FROM call q WHERE q.status = 'queued' AND q.ended_at IS NULL AND q.type = 'phone'
    AND ${isDue})
    AND ${hasTurn}
  LIMIT 1 FOR UPDATE OF n SKIP LOCKED`

const dialStatement = `
  UPDATE call k SET status = 'dialing', worker_id = $3, generation = k.generation + 1, seen_at = now(),
    dialed_at = clock_timestamp(), events = k.events + 1
  FROM voice_number n
  WHERE n.workspace_id = $1 AND n.id = $2 AND ${hasTurn} AND k.workspace_id = $1 AND k.id = (
    SELECT q.id FROM call q WHERE q.workspace_id = $1 AND q.number_id = $2 AND q.status = 'queued' AND q.ended_at IS NULL
    AND ${isDue} ORDER BY COALESCE(q.due_at, q.created_at), q.id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING ${callColumns}`

const eventStatement = `
  INSERT INTO call_event (call_id, workspace_id, seq, at_ms, kind, body, created_at)
  SELECT k.id, k.workspace_id, k.events, NULL, 'status', $3::jsonb, now() FROM call k
  WHERE k.id = $1 AND k.workspace_id = $2`

const lockStatement = 'SELECT FROM voice_number WHERE workspace_id = $1 AND id = $2 FOR UPDATE'
const roomStatement = `
  SELECT FROM voice_number n WHERE n.workspace_id = $1 AND n.id = $2 AND (
    SELECT count(*) FROM call l WHERE l.workspace_id = $1 AND l.number_id = $2 AND l.ended_at IS NULL AND l.status <> 'queued')
    < (n.settings ->> 'max_concurrent')::int`
const agentStatement = 'SELECT FROM agent WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL FOR SHARE'

const ringStatement = `
  UPDATE call k SET status = 'ringing', worker_id = $3, generation = 1, seen_at = now()
  WHERE k.workspace_id = $1 AND k.id = $2 RETURNING ${callColumns}`

const ringingStatement = `
  WITH ringing AS (
    UPDATE call SET status = 'ringing', carrier = $4, events = events + 1
    WHERE workspace_id = $1 AND id = $2 AND generation = $3 AND status = 'dialing' RETURNING id, workspace_id, events
  )
  INSERT INTO call_event (call_id, workspace_id, seq, at_ms, kind, body, created_at)
  SELECT id, workspace_id, events, NULL, 'status', '{"status": "ringing"}', now() FROM ringing`

const answeredStatement = `
  WITH answered AS (
    UPDATE call SET status = 'in_progress', answered_at = now(), seen_at = now(), carrier = $4, dialog = $5
    WHERE workspace_id = $1 AND id = $2 AND generation = $3 AND status IN ('dialing', 'ringing') RETURNING *
  )
  ${addCallNotices('answered', 'call.started')}`

const dialogStatement = `
  UPDATE call SET dialog = $4 WHERE workspace_id = $1 AND id = $2 AND generation = $3 AND ended_at IS NULL`

const endUnansweredStatement = `
  WITH ended AS (
    UPDATE call SET status = $4, ended_reason = $5, ended_by = $6, carrier = COALESCE($7::jsonb, carrier),
      worker_id = NULL, ${setEnded}
    WHERE workspace_id = $1 AND id = $2 AND generation = $3 AND status IN ('dialing', 'ringing')
    RETURNING *
  )${addEndEvents}`

const renewStatement = `
  UPDATE call SET seen_at = now() WHERE worker_id = $1 AND id = ANY($2::uuid[]) AND status IN ('dialing', 'ringing')
  RETURNING id, stop_requested_at IS NOT NULL AS is_stop_requested`

const takeLeftStatement = `
  UPDATE call k SET worker_id = $1, generation = k.generation + 1, seen_at = now(), detached_at = NULL
  WHERE k.id = (
    SELECT l.id FROM call l
    WHERE l.dialog IS NOT NULL AND l.status = 'in_progress'
      AND (l.worker_id IS NULL OR l.seen_at < now() - $2 * interval '1 millisecond')
    ORDER BY l.seen_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING ${callColumns}, k.dialog`

const takeUnclosedStatement = `
  UPDATE call k SET dialog = NULL FROM call l
  WHERE k.id = l.id AND k.workspace_id = l.workspace_id AND l.id = (
    SELECT o.id FROM call o WHERE o.dialog IS NOT NULL AND o.ended_at IS NOT NULL LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING ${callColumns}, l.dialog`

const takeChecksStatement = `
  UPDATE voice_number SET check_asked_at = NULL WHERE id IN (
    SELECT id FROM voice_number WHERE check_asked_at IS NOT NULL LIMIT 20 FOR UPDATE SKIP LOCKED)
  RETURNING workspace_id, id`
/** The event tells that the carrier does not answer any more, so it is added once until it has answered again. */
const saveCheckStatement = `
  WITH before AS (
    SELECT id, check_result FROM voice_number WHERE workspace_id = $1 AND id = $2 FOR UPDATE
  ), checked AS (
    UPDATE voice_number n SET check_result = jsonb_build_object('answered_ms', $3::int, 'at', now()) FROM before b
    WHERE n.workspace_id = $1 AND n.id = b.id RETURNING n.*, b.check_result AS found
  )
  INSERT INTO voice_notice (workspace_id, subject_id, type, data, created_at)
  SELECT workspace_id, id, 'number.unreachable', jsonb_build_object('object', 'voice_number',
    'id', 'num_' || replace(id::text, '-', ''), 'e164', e164, 'provider', provider), clock_timestamp()
  FROM checked WHERE $3::int IS NULL AND (found IS NULL OR found ->> 'answered_ms' IS NOT NULL)`
