import type { Pool } from '@ratchet/db/connect-pool'
import type { ErasureRooms } from '@ratchet/work-kit/erasure/erasure'
import { namesPerson, type RowsToErase, rowStep } from '@ratchet/work-kit/erasure/pg-steps'

/** What the dashboard has of an end user: budgets, filters of saved views, and texts of the audit about them. */
export function dashboardRooms(pool: Pool): ErasureRooms {
  return { find: async () => undefined, steps: rows.map((each) => rowStep(pool, each)) }
}

const rows: readonly RowsToErase[] = [
  {
    kind: 'budgets',
    table: 'budget',
    key: 'id',
    where: `t.workspace_id = $2 AND t.scope = 'user' AND t.subject = $4`,
  },
  {
    kind: 'saved_views',
    table: 'saved_view',
    key: 'workspace_id, user_id',
    where: `t.workspace_id = $2 AND ${namesPerson('t.views')}`,
    set: `views = (SELECT coalesce(jsonb_agg(v.view), '[]')::text FROM jsonb_array_elements(views::jsonb) AS v(view)
      WHERE NOT ${namesPerson('v.view')})`,
  },
  {
    kind: 'audit_texts',
    table: 'audit_event',
    key: 'id',
    where: `t.workspace_id = $2 AND t.action LIKE 'budget.%' AND (${namesPerson('t.before')} OR ${namesPerson('t.after')})`,
    set: 'before = NULL, after = NULL',
  },
  {
    kind: 'audit_texts',
    table: 'audit_log',
    key: 'workspace_id, position',
    where: `t.workspace_id = $2 AND t.content LIKE '%"action": "budget.%' AND ${namesPerson('t.content')}`,
    set: `content = ''`,
  },
]
