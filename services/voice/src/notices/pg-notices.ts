import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { Outbox, OutboxRow } from '@ratchet/work-kit/outbox/publish-outbox'

type NoticeRow = Row<'voiceNotice', { type: WebhookEventType }>

/** Events in Postgres that the alias service has not received. One that ended is deleted. */
export function createPgNotices(pool: Pool): Outbox {
  return {
    async pending(limit, after) {
      const values = [limit, after?.event.timestamp ?? null, after?.id ?? null]
      return (await pool.query<NoticeRow>(pendingStatement, values)).rows.map(outboxRow)
    },
    async end(ids) {
      await pool.query('DELETE FROM voice_notice WHERE id = ANY($1::uuid[])', [ids])
    },
  }
}

/** Of a call, agent or number only the oldest event: the next one follows when it has been published. */
const pendingStatement = `
  SELECT n.* FROM voice_notice n
  WHERE ($2::timestamptz IS NULL OR (n.created_at, n.id) > ($2, $3::uuid))
    AND NOT EXISTS (SELECT FROM voice_notice o WHERE o.subject_id = n.subject_id AND o.position < n.position)
  ORDER BY n.created_at, n.id LIMIT $1`

function outboxRow({ id, workspace_id: workspaceId, type, data, created_at: timestamp }: NoticeRow): OutboxRow {
  const facts = data as unknown as OutboxRow['event']['data']
  return { id, event: { id, type, timestamp, data: facts, identity: workspaceIdentity(workspaceId) } }
}
