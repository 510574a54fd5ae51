import type { Pool } from '@ratchet/db/connect-pool'
import type { ErasureRooms } from '@ratchet/work-kit/erasure/erasure'
import { isReferencedId, namesPerson, type RowsToErase, rowStep } from '@ratchet/work-kit/erasure/pg-steps'

/** Webhook events that name a person or something of theirs, and what was noted of their exchanges. */
export function aliasRooms(pool: Pool): ErasureRooms {
  return { find: async () => undefined, steps: rows.map((each) => rowStep(pool, each)) }
}

const named = `t.workspace_id = $2 AND ${namesPerson('t.body')}`

const rows: readonly RowsToErase[] = [
  {
    kind: 'webhook_deliveries',
    table: 'webhook_delivery',
    key: 'id',
    where: `t.event_id IN (SELECT e.id FROM webhook_event e WHERE e.workspace_id = $2 AND ${namesPerson('e.body')})`,
  },
  { kind: 'webhook_events', table: 'webhook_event', key: 'id', where: named },
  {
    kind: 'shadow_errors',
    table: 'shadow_sample',
    key: 'id',
    where: `t.workspace_id = $2 AND t.last_error IS NOT NULL AND ${isReferencedId('t.log_id', 'log')}`,
    set: 'last_error = NULL',
  },
]
