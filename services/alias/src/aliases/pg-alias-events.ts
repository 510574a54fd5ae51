import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Pool } from '@ratchet/db/connect-pool'
import type { AliasEvents } from './alias.ts'
import { type EventRow, eventOf } from './alias-row.ts'

interface HistoryRow {
  readonly after: string
  readonly created_at: Date
}

/** The audit of aliases in Postgres. */
export function createPgAliasEvents(pool: Pool): AliasEvents {
  return {
    async list({ workspaceId, name, limit, offset }) {
      const counted = await pool.query<{ total: number }>(countStatement, [workspaceId, name])
      const { rows } = await pool.query<EventRow>(listStatement, [workspaceId, name, limit, offset])
      return { total: counted.rows[0]?.total ?? 0, events: rows.map(eventOf) }
    },
    async history(aliasId, since) {
      const { rows } = await pool.query<HistoryRow>(historyStatement, [aliasId, since])
      return rows.map(({ after, created_at: from }) => ({ settings: JSON.parse(after) as AliasSettings, from }))
    },
  }
}

const countStatement = 'SELECT count(*)::int AS total FROM alias_event WHERE workspace_id = $1 AND alias_name = $2'

const listStatement = `
  SELECT * FROM alias_event WHERE workspace_id = $1 AND alias_name = $2
  ORDER BY position DESC LIMIT $3 OFFSET $4`

/** Settings that were in force since: those that were written since, and the last ones before. */
const historyStatement = `
  (SELECT after, created_at, position FROM alias_event WHERE alias_id = $1 AND after IS NOT NULL AND created_at < $2
    ORDER BY position DESC LIMIT 1)
  UNION ALL
  (SELECT after, created_at, position FROM alias_event WHERE alias_id = $1 AND after IS NOT NULL AND created_at >= $2)
  ORDER BY position`
