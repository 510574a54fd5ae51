import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { Outbox, OutboxRow } from '@ratchet/work-kit/outbox/publish-outbox'
import type { JudgingNotice } from './notice.ts'

type NoticeRow = Row<'judgingNotice', { type: JudgingNotice['type'] }>

/** Notices in Postgres. A notice that ended is deleted. */
export function createPgNotices(pool: Pool): Outbox {
  return {
    async pending(limit, after) {
      const values = [limit, after?.event.timestamp ?? null, after?.id ?? null]
      return (await pool.query<NoticeRow>(pendingStatement, values)).rows.map(outboxRow)
    },
    async end(ids) {
      await pool.query('DELETE FROM judging_notice WHERE id = ANY($1::uuid[])', [ids])
    },
  }
}

const pendingStatement = `
  SELECT * FROM judging_notice WHERE $2::timestamptz IS NULL OR (created_at, id) > ($2, $3::uuid)
  ORDER BY created_at, id LIMIT $1`

function outboxRow({ id, workspace_id: workspaceId, type, data, created_at: timestamp }: NoticeRow): OutboxRow {
  return { id, event: { id, type, timestamp, data: JSON.parse(data), identity: workspaceIdentity(workspaceId) } }
}
