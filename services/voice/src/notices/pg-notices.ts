import type { Pool } from '@ratchet/db/connect-pool'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { createPgOutbox } from '@ratchet/work-kit/outbox/pg-outbox'
import type { Outbox } from '@ratchet/work-kit/outbox/publish-outbox'

/** Events in Postgres that the alias service has not received. One that ended is deleted. */
export function createPgNotices(pool: Pool): Outbox {
  return createPgOutbox({ pool, identityOf: workspaceIdentity }, { pending: pendingStatement, end: endStatement })
}

/** Of a call, agent or number only the oldest event: the next one follows when it has been published. */
const pendingStatement = `
  SELECT n.* FROM voice_notice n
  WHERE ($2::timestamptz IS NULL OR (n.created_at, n.id) > ($2, $3::uuid))
    AND NOT EXISTS (SELECT FROM voice_notice o WHERE o.subject_id = n.subject_id AND o.position < n.position)
  ORDER BY n.created_at, n.id LIMIT $1`
const endStatement = 'DELETE FROM voice_notice WHERE id = ANY($1::uuid[])'
