import type { Pool } from '@ratchet/db/connect-pool'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { createPgOutbox } from '@ratchet/work-kit/outbox/pg-outbox'
import type { Outbox } from '@ratchet/work-kit/outbox/publish-outbox'

/** Notices in Postgres. A notice that ended is deleted. */
export function createPgNotices(pool: Pool): Outbox {
  return createPgOutbox({ pool, identityOf: workspaceIdentity }, { pending: pendingStatement, end: endStatement })
}

const pendingStatement = `
  SELECT * FROM judging_notice WHERE $2::timestamptz IS NULL OR (created_at, id) > ($2, $3::uuid)
  ORDER BY created_at, id LIMIT $1`
const endStatement = 'DELETE FROM judging_notice WHERE id = ANY($1::uuid[])'
