import type { Pool } from '@ratchet/db/connect-pool'
import { CallRates } from './price-book.ts'
import type { SliceJournal, SliceState, SliceUse, StoredSlice } from './slice-journal.ts'

/** Slices in Postgres. Times are those of the database. */
export function createPgSlices(pool: Pool): SliceJournal {
  return {
    async open({ callId, number, workspaceId, holdId, rates, amountNano }) {
      await pool.query(openStatement, [callId, number, workspaceId, holdId, JSON.stringify(rates), amountNano])
    },
    async checkpoint(uses) {
      if (uses.length > 0) await pool.query(checkpointStatement, columnsOf(uses))
    },
    async end(use) {
      await pool.query(endStatement, columnsOf([use]))
    },
    async close({ workspaceId, callId, number }, state, chargedNano) {
      await pool.query(closeStatement, [callId, number, workspaceId, state, chargedNano])
    },
    async of({ workspaceId, callId }) {
      return (await pool.query<SliceRow>(ofStatement, [callId, workspaceId])).rows.map(sliceOf)
    },
    async unfinished(silentMs, limit) {
      return (await pool.query<SliceRow>(unfinishedStatement, [silentMs, limit])).rows.map(sliceOf)
    },
  }
}

function columnsOf(uses: readonly SliceUse[]): unknown[] {
  return [
    uses.map(({ callId }) => callId),
    uses.map(({ number }) => number),
    uses.map(({ workspaceId }) => workspaceId),
    uses.map(({ usage }) => Math.round(usage.answeredMs)),
    uses.map(({ usage }) => Math.round(usage.recognizedMs)),
    uses.map(({ usage }) => usage.spokenCharacters),
    uses.map(({ costNano }) => costNano),
  ]
}

const columns = `call_id, number, workspace_id, hold_id, rates, amount_nano, state, answered_ms, recognized_ms,
  spoken_characters, cost_nano, charged_nano, updated_at`

const openStatement = `
  INSERT INTO call_slice (call_id, number, workspace_id, hold_id, rates, amount_nano) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (call_id, number) DO NOTHING`

const written = `
  UPDATE call_slice s SET answered_ms = greatest(s.answered_ms, u.answered_ms),
    recognized_ms = greatest(s.recognized_ms, u.recognized_ms),
    spoken_characters = greatest(s.spoken_characters, u.spoken_characters),
    cost_nano = greatest(s.cost_nano, u.cost_nano), updated_at = now()`
const among = `
  FROM unnest($1::uuid[], $2::int[], $3::uuid[], $4::int[], $5::int[], $6::int[], $7::bigint[])
    AS u(call_id, number, workspace_id, answered_ms, recognized_ms, spoken_characters, cost_nano)
  WHERE s.call_id = u.call_id AND s.number = u.number AND s.workspace_id = u.workspace_id AND s.state = 'held'`

const checkpointStatement = `${written} ${among}`
const endStatement = `${written}, state = 'ended' ${among}`

const closeStatement = `
  UPDATE call_slice SET state = $4, charged_nano = $5, updated_at = now()
  WHERE call_id = $1 AND number = $2 AND workspace_id = $3 AND state IN ('held', 'ended')`

const ofStatement = `SELECT ${columns} FROM call_slice WHERE call_id = $1 AND workspace_id = $2 ORDER BY number`

/** Nobody else posts what has ended a moment ago: its worker does. */
const unfinishedStatement = `
  SELECT ${columns} FROM call_slice
  WHERE (state = 'ended' AND updated_at < now() - interval '5 seconds')
    OR (state = 'held' AND updated_at < now() - $1 * interval '1 millisecond')
  ORDER BY updated_at LIMIT $2`

interface SliceRow {
  readonly call_id: string
  readonly number: number
  readonly workspace_id: string
  readonly hold_id: string
  readonly rates: unknown
  readonly amount_nano: string
  readonly state: SliceState
  readonly answered_ms: number
  readonly recognized_ms: number
  readonly spoken_characters: number
  readonly cost_nano: string
  readonly charged_nano: string | null
  readonly updated_at: Date
}

function sliceOf(row: SliceRow): StoredSlice {
  return {
    callId: row.call_id,
    number: row.number,
    workspaceId: row.workspace_id,
    holdId: row.hold_id,
    rates: CallRates.parse(row.rates),
    amountNano: BigInt(row.amount_nano),
    state: row.state,
    usage: {
      answeredMs: row.answered_ms,
      recognizedMs: row.recognized_ms,
      spokenCharacters: row.spoken_characters,
    },
    costNano: BigInt(row.cost_nano),
    chargedNano: row.charged_nano === null ? null : BigInt(row.charged_nano),
    updatedAt: row.updated_at,
  }
}
