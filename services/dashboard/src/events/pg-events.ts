import type { WorkspaceEvent } from '@ratchet/contracts/dashboard/events'
import type { Pool } from '@ratchet/db/connect-pool'

export interface EventRow {
  readonly id: string
  readonly at: Date
  readonly kind: WorkspaceEvent['kind']
  readonly name: string
  /** UUID; null unless it is about a scan. */
  readonly judgeId: string | null
  readonly requests: number | null
}

const listStatement = `
  SELECT event_id AS id, changed_at AS at, kind, name, criterion_id AS "judgeId", requests FROM workspace_event
  WHERE workspace_id = $1 AND changed_at > $2::timestamptz - interval '7 days'
  ORDER BY changed_at DESC, event_id LIMIT 20`

export type EventList = ReturnType<typeof createPgEvents>

export function createPgEvents(pool: Pick<Pool, 'query'>) {
  return {
    /** The newest 20 of seven days. */
    list: async (workspaceId: string, now: Date) =>
      (await pool.query<EventRow>(listStatement, [workspaceId, now])).rows,
  }
}
