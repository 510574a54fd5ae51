import { fleetIdentity } from '@ratchet/contracts/identity'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Outbox, OutboxRow } from '@ratchet/work-kit/outbox/publish-outbox'
import type { AlertStore, WalletAlert } from './wallet-alert.ts'

interface AlertRow {
  readonly workspace_id: string
  readonly threshold: string
  readonly is_below: boolean
  readonly changed_at: Date | null
}

/** Whether a threshold changes or not, an alert that is set again keeps its state only for the same threshold. */
const setStatement = `
INSERT INTO wallet_alert AS a (workspace_id, threshold, updated_by) VALUES ($1, $2, $3)
ON CONFLICT (workspace_id) DO UPDATE SET threshold = excluded.threshold, updated_by = excluded.updated_by,
  is_below = a.is_below AND a.threshold = excluded.threshold`

/** Two processes that see the same crossing write it once. */
const crossStatement = `
UPDATE wallet_alert SET is_below = NOT is_below, available = $3, changed_at = $4, event_id = $5
WHERE workspace_id = $1 AND threshold = $2 AND is_below = ($5::uuid IS NULL)`

export function createPgWalletAlerts(pool: Pool): AlertStore {
  return {
    async read(workspaceId) {
      const text = 'SELECT workspace_id, threshold, is_below, changed_at FROM wallet_alert WHERE workspace_id = $1'
      const [row] = (await pool.query<AlertRow>(text, [workspaceId])).rows
      return row === undefined ? null : alertOf(row)
    },
    async set({ workspaceId, userId, thresholdNano }) {
      if (thresholdNano === null) await pool.query('DELETE FROM wallet_alert WHERE workspace_id = $1', [workspaceId])
      else await pool.query(setStatement, [workspaceId, thresholdNano, userId])
    },
    async all() {
      const text = 'SELECT workspace_id, threshold, is_below, changed_at FROM wallet_alert ORDER BY workspace_id'
      const { rows } = await pool.query<AlertRow>(text)
      return rows.map((row) => ({ workspaceId: row.workspace_id, ...alertOf(row) }))
    },
    async cross({ workspaceId, thresholdNano, availableNano, at, eventId }) {
      await pool.query(crossStatement, [workspaceId, thresholdNano, availableNano, at, eventId])
    },
  }
}

function alertOf({ threshold, is_below: isBelow, changed_at: changedAt }: AlertRow): WalletAlert {
  return { thresholdNano: BigInt(threshold), isBelow, changedAt }
}

interface PendingRow extends AlertRow {
  readonly event_id: string
  readonly changed_at: Date
  readonly available: string
  readonly updated_by: string
}

const pendingStatement = `
SELECT workspace_id, threshold, is_below, changed_at, event_id, available, updated_by FROM wallet_alert
WHERE event_id IS NOT NULL AND ($2::timestamptz IS NULL OR (changed_at, event_id) > ($2, $3::uuid))
ORDER BY changed_at, event_id LIMIT $1`

/** The `wallet.low` events. The id of an event remains in the row of its alert until it is told. */
export function createPgLowEvents(pool: Pool): Outbox {
  return {
    async pending(limit, after) {
      const values = [limit, after?.event.timestamp ?? null, after?.id ?? null]
      return (await pool.query<PendingRow>(pendingStatement, values)).rows.map(outboxRow)
    },
    async end(ids) {
      await pool.query('UPDATE wallet_alert SET event_id = NULL WHERE event_id = ANY($1::uuid[])', [ids])
    },
  }
}

function outboxRow(row: PendingRow): OutboxRow {
  return {
    id: row.event_id,
    event: {
      id: row.event_id,
      type: 'wallet.low',
      timestamp: row.changed_at,
      data: { object: 'wallet', available_nano: row.available, threshold_nano: row.threshold },
      identity: { ...fleetIdentity, workspaceId: row.workspace_id, userId: row.updated_by, role: 'admin' },
    },
  }
}
