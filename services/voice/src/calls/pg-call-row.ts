import type { Arm } from '@ratchet/contracts/internal-alias'
import type { CallCarrier, CallDirection, CallEnder, CallStatus, CallType } from '@ratchet/contracts/voice/calls'
import type { EndReason } from '@ratchet/contracts/voice/end-reasons'
import type { NumberProvider } from '@ratchet/contracts/voice/number-providers'
import type { VoiceEnvironment } from '@ratchet/contracts/voice/voice-key'
import type { Row } from '@ratchet/db/row'
import { addEndNotices } from '../notices/pg-call-notices.ts'
import type { CallOverrides, StoredCall } from './call.ts'

export const callColumns = `
  k.id, k.workspace_id, k.owner_user_id, k.agent_id, k.agent_version, k.env, k.type, k.status, k.ended_reason, k.ended_by,
  k.overrides, k.variables, k.metadata, k.secret_key_id, k.secret_nonce, k.secret_ciphertext, k.generation,
  k.talked_ms, k.recognized_ms, k.spoken_characters, k.spoken_now, k.created_at, k.due_at, k.answered_at, k.ended_at, k.erased_at,
  k.direction, k.number_id, k.provider, k.to_number, k.from_number, k.carrier, k.arm`

interface Narrowed {
  readonly env: VoiceEnvironment
  readonly type: CallType
  readonly direction: CallDirection | null
  readonly status: CallStatus
  readonly ended_reason: EndReason | null
  readonly ended_by: CallEnder | null
  readonly arm: Arm | null
}

export type CallRow = Omit<
  Row<'call', Narrowed>,
  | 'token_hash'
  | 'token_expires_at'
  | 'worker_id'
  | 'seen_at'
  | 'detached_at'
  | 'stop_requested_at'
  | 'events'
  | 'retention_days'
  | 'expires_at'
  | 'dialog'
  | 'dialed_at'
  | 'canary_epoch'
>

export function callOf(row: CallRow): StoredCall {
  const { secret_key_id: keyId, secret_nonce: nonce, secret_ciphertext: ciphertext } = row
  const isSealed = keyId !== null && nonce !== null && ciphertext !== null
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    userId: row.owner_user_id,
    agentId: row.agent_id,
    agentVersion: row.agent_version,
    arm: row.arm,
    env: row.env,
    type: row.type,
    phone: phoneOf(row),
    status: row.status,
    endedReason: row.ended_reason,
    endedBy: row.ended_by,
    overrides: row.overrides as unknown as CallOverrides,
    variables: row.variables as unknown as StoredCall['variables'],
    secretVariables: isSealed ? { keyId, nonce: new Uint8Array(nonce), ciphertext: new Uint8Array(ciphertext) } : null,
    metadata: row.metadata as unknown as StoredCall['metadata'],
    generation: row.generation,
    usage: {
      answeredMs: row.talked_ms,
      recognizedMs: row.recognized_ms,
      spokenCharacters: row.spoken_characters,
    },
    // A worker of the release before this one did not seal it.
    spokenNow: typeof row.spoken_now === 'string' ? row.spoken_now : null,
    createdAt: row.created_at,
    dueAt: row.due_at,
    answeredAt: row.answered_at,
    endedAt: row.ended_at,
    erasedAt: row.erased_at,
  }
}

function phoneOf({ direction, number_id: numberId, ...row }: CallRow): StoredCall['phone'] {
  if (direction === null || numberId === null) return null
  const { to_number: toNumber, from_number: fromNumber, carrier, provider } = row
  return {
    provider: (provider ?? 'sip') as NumberProvider,
    direction,
    numberId,
    toNumber: toNumber ?? '',
    fromNumber,
    carrier: carrier as unknown as CallCarrier | null,
  }
}

/** What an ended call no longer has. `${at}` is SQL of the time of its end. */
export const setEnded = `
  events = events + 1, spoken_now = NULL, token_hash = NULL, token_expires_at = NULL, secret_key_id = NULL, secret_nonce = NULL,
  secret_ciphertext = NULL, ended_at = now(), expires_at = now() + retention_days * interval '1 day'`

/** What an erased call no longer has: its texts, and the number of the other side. */
export const erased = `
  variables = '{}', metadata = '{}', overrides = '{}', expires_at = NULL,
  from_number = CASE WHEN direction = 'inbound' THEN NULL ELSE from_number END,
  to_number = CASE WHEN direction = 'outbound' THEN NULL ELSE to_number END`

/** Adds the events of the end for each row of `ended`, which has all columns of `call`. */
export const addEndEvents = `, noticed AS (${addEndNotices('ended')}
  )
  INSERT INTO call_event (call_id, workspace_id, seq, at_ms, kind, body, created_at)
  SELECT id, workspace_id, events, CASE WHEN answered_at IS NULL THEN NULL ELSE talked_ms END, 'end',
    jsonb_build_object('status', status, 'reason', ended_reason, 'by', ended_by), now() FROM ended`
