import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { type CallRow, callColumns, callOf } from '../calls/pg-call-row.ts'
import { insertCall } from '../calls/pg-calls.ts'
import type { StoredNumber } from '../numbers/number.ts'
import { type NumberRow, numberColumns, numberOf } from '../numbers/pg-numbers.ts'
import {
  addStatusEvent,
  createPgPhoneWork,
  hasTurn,
  isDue,
  lockNumber,
  requireRoomAndAgent,
} from '../phone/pg-phone-work.ts'
import type { CarrierCalls } from './carrier-calls.ts'

/** Calls of carriers in Postgres. Times are those of the database. */
export function createPgCarrierCalls(pool: Pool): CarrierCalls {
  const phones = createPgPhoneWork(pool)
  // Anybody may ask for numbers: those of one moment are read in one statement, so that a flood leaves connections for others.
  const found = createGroupCommit<string, StoredNumber | null>({ run: (ids) => numbersOf(pool, ids) })
  return {
    number: (id) => found.add(id),
    async find(number, { id, carrierCallId }) {
      const values = [number.workspaceId, number.id, id, carrierCallId]
      const { rows } = await pool.query<CallRow>(findStatement, values)
      return rows[0] === undefined ? null : callOf(rows[0])
    },
    createIncoming: (call, carrier) =>
      inTransaction(pool, async (client) => {
        const { workspaceId, id, line } = call
        if (line.type !== 'phone') throw new Error('only telephones call a number')
        if (!(await lockNumber(client, { workspaceId, id: line.numberId }))) return 'busy' as const
        // The same webhook may have come twice.
        const values = [workspaceId, line.numberId, null, carrier.id]
        const [before] = (await client.query<CallRow>(findStatement, values)).rows
        if (before !== undefined) return callOf(before)
        const refusal = await requireRoomAndAgent(client, call)
        if (refusal !== null) return refusal
        await insertCall(client, call)
        const { rows } = await client.query<CallRow>(ringStatement, [workspaceId, id, JSON.stringify(carrier)])
        return callOf(rows[0] as CallRow)
      }),
    async expect({ workspaceId, id }, { tokenHash, carrier }) {
      const values = [workspaceId, id, Buffer.from(tokenHash), JSON.stringify(carrier)]
      return (await pool.query(expectStatement, values)).rowCount === 1
    },
    takeDue: () => inTransaction(pool, takeDue),
    async setCarrier({ workspaceId, id }, carrier) {
      await pool.query(carrierStatement, [workspaceId, id, JSON.stringify(carrier)])
    },
    setRinging: (call, carrier) => phones.setRinging({ ...call, generation: 0 }, carrier),
    endUnanswered: (call, end) => phones.endUnanswered({ ...call, generation: 0 }, end),
    async stopped(limit) {
      return (await pool.query<CallRow>(stoppedStatement, [limit])).rows.map(callOf)
    },
  }
}

async function takeDue(client: PoolClient) {
  const [number] = (await client.query<{ id: string; workspace_id: string }>(dueNumberStatement)).rows
  if (number === undefined) return null
  const [row] = (await client.query<CallRow>(dialStatement, [number.workspace_id, number.id])).rows
  if (row === undefined) return null
  await addStatusEvent(client, row, 'dialing')
  return callOf(row)
}

const streamed = "('twilio', 'telnyx')"

async function numbersOf(pool: Pool, ids: readonly string[]): Promise<readonly (StoredNumber | null)[]> {
  const { rows } = await pool.query<NumberRow>(numbersStatement, [ids])
  const numbers = new Map(rows.map((row) => [row.id, numberOf(row)]))
  return ids.map((id) => numbers.get(id) ?? null)
}

const numbersStatement = `
  SELECT ${numberColumns} FROM voice_number n
  LEFT JOIN voice_number_secret s ON s.id = n.id AND s.workspace_id = n.workspace_id
  WHERE n.id = ANY($1::uuid[]) AND n.provider IN ${streamed}`

const findStatement = `
  SELECT ${callColumns} FROM call k WHERE k.workspace_id = $1 AND k.number_id = $2
    AND CASE WHEN $3::uuid IS NULL THEN k.carrier ->> 'id' = $4
      ELSE k.id = $3 AND (k.carrier ->> 'id' IS NULL OR k.carrier ->> 'id' = $4) END
  ORDER BY k.created_at DESC LIMIT 1`

const ringStatement = `
  UPDATE call k SET status = 'ringing', carrier = $3, seen_at = now() WHERE k.workspace_id = $1 AND k.id = $2
  RETURNING ${callColumns}`

/** While it waits for its connection, a call counts as seen for a moment; then it ends as any that nobody answers. */
const expectStatement = `
  UPDATE call SET token_hash = $3, token_expires_at = now() + interval '1 minute', carrier = $4,
    seen_at = CASE WHEN status = 'in_progress' THEN seen_at ELSE now() END
  WHERE workspace_id = $1 AND id = $2 AND ended_at IS NULL`

const dueNumberStatement = `
  SELECT n.id, n.workspace_id FROM voice_number n
  WHERE n.provider IN ${streamed} AND n.id IN (
    SELECT q.number_id FROM call q WHERE q.status = 'queued' AND q.ended_at IS NULL AND q.type = 'phone' AND ${isDue})
    AND ${hasTurn}
  LIMIT 1 FOR UPDATE OF n SKIP LOCKED`

/** Nobody holds it while it rings: its carrier says how that ends, at the latest after the time for ringing. */
const dialStatement = `
  UPDATE call k SET status = 'dialing', seen_at = now() + interval '1 minute', dialed_at = clock_timestamp(),
    events = k.events + 1
  FROM voice_number n
  WHERE n.workspace_id = $1 AND n.id = $2 AND ${hasTurn} AND k.workspace_id = $1 AND k.id = (
    SELECT q.id FROM call q WHERE q.workspace_id = $1 AND q.number_id = $2 AND q.status = 'queued' AND q.ended_at IS NULL
      AND ${isDue} ORDER BY COALESCE(q.due_at, q.created_at), q.id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING ${callColumns}`

const carrierStatement = `UPDATE call SET carrier = $3
  WHERE workspace_id = $1 AND id = $2 AND (carrier IS NULL OR carrier ->> 'id' IS NULL)`

const stoppedStatement = `
  SELECT ${callColumns} FROM call k JOIN voice_number n ON n.id = k.number_id AND n.workspace_id = k.workspace_id
  WHERE k.status IN ('dialing', 'ringing') AND k.stop_requested_at IS NOT NULL AND k.generation = 0
    AND n.provider IN ${streamed} LIMIT $1`
