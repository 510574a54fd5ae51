import type { Pool } from '@ratchet/db/connect-pool'
import type { ErasureRooms } from '@ratchet/work-kit/erasure/erasure'
import {
  addReferences,
  firstAnswersIn,
  isReferencedId,
  namesPerson,
  type RowsToErase,
  rowStep,
  waitingStep,
} from '@ratchet/work-kit/erasure/pg-steps'
import { erased } from '../calls/pg-call-row.ts'

/** Calls with a person: what was said, recordings, and the person's telephone number. What they cost stays. */
export function voiceRooms(pool: Pool): ErasureRooms {
  return {
    find: (erasure) =>
      addReferences(pool, erasure, [
        { kind: 'call', select: calls },
        { kind: 'request', select: requests },
        { kind: 'trace', select: traces },
      ]),
    steps: [waitingStep(pool, rowStep(pool, turns), running), ...rows.map((each) => rowStep(pool, each))],
  }
}

/** By a request to a model, by what the client noted of the call, or by a telephone number. */
const calls = `
  SELECT t.id::text FROM call t WHERE t.workspace_id = $2 AND (
    t.id IN (SELECT q.call_id FROM call_request q WHERE q.workspace_id = $2 AND ${isReferencedId('q.request_id', 'request')})
    OR ${namesPerson('t.metadata')} OR ${namesPerson('t.variables')} OR $4 IN (t.from_number, t.to_number))`

const requests = `
  SELECT t.request_id::text FROM call_request t WHERE t.workspace_id = $2 AND ${isReferencedId('t.call_id', 'call')}`

/** As the requests of the call are logged. */
const traces = `SELECT 'call_' || r.hex FROM erasure_reference r WHERE r.erasure_id = $1 AND r.kind = 'call'`

const ofCall = `t.workspace_id = $2 AND ${isReferencedId('t.call_id', 'call')}`

const running = {
  select: `SELECT 1 FROM call t WHERE t.workspace_id = $2 AND t.ended_at IS NULL AND ${isReferencedId('t.id', 'call')}`,
  what: 'a call with the person goes on',
}

const turns: RowsToErase = { kind: 'call_turns', table: 'call_turn', key: 'call_id, index', where: ofCall }

const rows: readonly RowsToErase[] = [
  { kind: 'call_events', table: 'call_event', key: 'call_id, seq', where: ofCall },
  { kind: 'call_commands', table: 'call_command', key: 'id', where: ofCall },
  { kind: 'call_recordings', table: 'call_recording_chunk', key: 'call_id, number', where: ofCall },
  {
    kind: 'calls',
    table: 'call',
    key: 'id',
    where: `t.workspace_id = $2 AND ${isReferencedId('t.id', 'call')} AND t.ended_at IS NOT NULL
      AND (t.erased_at IS NULL OR t.carrier IS NOT NULL OR t.spoken_now IS NOT NULL OR t.dialog IS NOT NULL)`,
    set: `${erased}, carrier = NULL, spoken_now = NULL, dialog = NULL, secret_key_id = NULL, secret_nonce = NULL,
      secret_ciphertext = NULL, erased_at = coalesce(erased_at, now())`,
  },
  {
    kind: 'events_to_send',
    table: 'voice_notice',
    key: 'id',
    where: `t.workspace_id = $2 AND (${isReferencedId('t.subject_id', 'call')} OR ${namesPerson('t.data')})`,
  },
  firstAnswersIn('voice_answer'),
]
