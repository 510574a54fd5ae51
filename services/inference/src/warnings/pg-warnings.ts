import { fleetIdentity } from '@ratchet/contracts/identity'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { Outbox, OutboxRow } from '@ratchet/work-kit/outbox/publish-outbox'
import { toBudget } from '../budgets/pg-budgets.ts'
import type { ExpiringKey, Warning, WarningDeps } from './warning.ts'

const warningStatement = `SELECT id, workspace_id, scope, subject, period, amount, fallback_model, warn_at FROM budget
  WHERE warn_at IS NOT NULL ORDER BY workspace_id, id`

const expiringStatement = `SELECT id, workspace_id, name, display, expires_at FROM expiring_key WHERE expires_at < $1`

const warnStatement = `
INSERT INTO workspace_warning (id, workspace_id, type, about, data, at)
SELECT gen_random_uuid(), workspace_id, type, about, data::jsonb, $5::timestamptz
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) AS t(workspace_id, type, about, data)
ON CONFLICT (workspace_id, type, about) DO NOTHING`

interface KeyRow {
  readonly id: string
  readonly workspace_id: string
  readonly name: string
  readonly display: string
  readonly expires_at: Date
}

export function createPgWarnings(pool: Pool): WarningDeps['store'] {
  return {
    async warning() {
      return (await pool.query<Parameters<typeof toBudget>[0]>(warningStatement)).rows.map(toBudget)
    },
    async expiring(before): Promise<ExpiringKey[]> {
      const { rows } = await pool.query<KeyRow>(expiringStatement, [before])
      return rows.map(({ id, workspace_id: workspaceId, name, display, expires_at: expiresAt }) => ({
        id,
        workspaceId,
        name,
        display,
        expiresAt,
      }))
    },
    async warn(warnings, at) {
      const columns = [
        warnings.map(({ workspaceId }) => workspaceId),
        warnings.map(({ type }) => type),
        warnings.map(({ about }) => about),
        warnings.map(({ data }) => JSON.stringify(data)),
      ]
      await pool.query(warnStatement, [...columns, at])
    },
  }
}

type PendingRow = Pick<
  Row<'workspaceWarning', { type: Warning['type']; data: Warning['data'] }>,
  'id' | 'workspace_id' | 'type' | 'data' | 'at'
>

const pendingStatement = `
SELECT id, workspace_id, type, data, at FROM workspace_warning
WHERE is_pending AND ($2::timestamptz IS NULL OR (at, id) > ($2, $3::uuid)) ORDER BY at, id LIMIT $1`

/** The warnings that webhooks do not have yet. */
export function createPgWarningEvents(pool: Pool): Outbox {
  return {
    async pending(limit, after) {
      const values = [limit, after?.event.timestamp ?? null, after?.id ?? null]
      return (await pool.query<PendingRow>(pendingStatement, values)).rows.map(outboxRow)
    },
    async end(ids) {
      await pool.query('UPDATE workspace_warning SET is_pending = false WHERE id = ANY($1::uuid[])', [ids])
    },
  }
}

function outboxRow({ id, workspace_id: workspaceId, type, data, at }: PendingRow): OutboxRow {
  const identity = { ...fleetIdentity, workspaceId, role: 'admin' as const }
  return { id, event: { id, type, timestamp: at, data, identity } }
}
