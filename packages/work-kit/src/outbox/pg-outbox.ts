import type { Identity } from '@ratchet/contracts/identity'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Outbox, OutboxRow } from './publish-outbox.ts'

/** The statements of a table whose rows are events; a row that ended is deleted. */
export interface OutboxStatements {
  /** Pending rows. $1: how many at most; $2 and $3: time and id of the row behind which they come, or nulls. */
  readonly pending: string
  /** $1: ids. */
  readonly end: string
}

interface EventRow {
  readonly id: string
  readonly workspace_id: string
  readonly type: WebhookEventType
  /** JSON, as text or read. */
  readonly data: unknown
  readonly created_at: Date
}

export interface PgOutboxDeps {
  readonly pool: Pool
  /** As whom the event of a workspace is published. */
  readonly identityOf: (workspaceId: string) => Identity
}

/** Events of a table in Postgres that the alias service has not received. */
export function createPgOutbox({ pool, identityOf }: PgOutboxDeps, statements: OutboxStatements): Outbox {
  const rowOf = ({ id, workspace_id: workspaceId, type, data, created_at: timestamp }: EventRow): OutboxRow => {
    const facts = typeof data === 'string' ? JSON.parse(data) : data
    return { id, event: { id, type, timestamp, data: facts, identity: identityOf(workspaceId) } }
  }
  return {
    async pending(limit, after) {
      const values = [limit, after?.event.timestamp ?? null, after?.id ?? null]
      return (await pool.query<EventRow>(statements.pending, values)).rows.map(rowOf)
    },
    async end(ids) {
      await pool.query(statements.end, [ids])
    },
  }
}
